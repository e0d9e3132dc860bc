// SPDX-License-Identifier: Apache-2.0

import ScenarioLanguage

/// An order as people read it, and as a scenario or a Swift test has it.
package enum OrderText {
    /// The order in columns, one for each process from left to right as they have their first turns:
    ///
    ///     turn  main             wallet
    ///        1  start
    ///        2                   start
    ///        3  queueLock.taken
    ///        4                   queueLock.take †
    ///     † the process is killed there
    ///
    /// - Returns: A heading, then a line for each turn: its number from 1, and the place from which the process
    ///   continued, or at which it was killed; then what the mark means, if a turn has it. No line ends with a space or a
    ///   line end.
    package static func columns(_ turns: [Turn]) -> [String] {
        var processes: [String] = []
        for turn in turns where !processes.contains(turn.process) { processes.append(turn.process) }
        let heading = "turn"
        let gap = 2
        let numberWidth = max(heading.count, String(turns.count).count)
        var starts: [String: Int] = [:]
        var end = numberWidth
        for process in processes {
            starts[process] = end + gap
            let places = turns.lazy.filter { $0.process == process }.map { cell($0).count }
            end += gap + max(process.count, places.max() ?? 0)
        }
        func line(_ number: String, _ cells: [(process: String, text: String)]) -> String {
            var line = String(repeating: " ", count: numberWidth - number.count) + number
            for cell in cells {
                line += String(repeating: " ", count: starts[cell.process, default: end] - line.count) + cell.text
            }
            return line
        }
        return [line(heading, processes.map { ($0, $0) })]
            + turns.enumerated().map { index, turn in line(String(index + 1), [(turn.process, cell(turn))]) }
            + (turns.contains(where: \.dies) ? ["\(death) the process is killed there"] : [])
    }

    /// The mark of a turn that kills its process.
    private static let death = "†"

    private static func cell(_ turn: Turn) -> String { turn.dies ? "\(turn.place) \(death)" : turn.place }

    /// The `order` of a block in a scenario, without indentation: the key, then a line for each turn.
    ///
    /// Names of actors and of places are words that YAML needs no quotes for.
    static func yaml(_ turns: [Turn]) -> [String] {
        ["order:"] + turns.map { "  - \(entry($0))" }
    }

    /// A turn in the `order` of a scenario: `main: start`, or `main: { dies: state.saved }`.
    static func entry(_ turn: Turn) -> String {
        "\(turn.process): \(turn.dies ? "{ dies: \(turn.place) }" : turn.place)"
    }

    /// The same on one line.
    static func flow(_ turns: [Turn]) -> String {
        "order: [\(turns.map { "{ \(entry($0)) }" }.joined(separator: ", "))]"
    }

    /// The order on one line, as a Swift test has it: `main: start, wallet: start, main: dies state.saved`.
    package static func line(_ turns: some Sequence<Turn>) -> String {
        turns.map { "\($0.process): \($0.dies ? deadly : "")\($0.place)" }.joined(separator: ", ")
    }

    /// Stands before the place at which a process is killed, on one line.
    private static let deadly = "\(TurnOrder.dies) "

    /// Reads an order that ``line(_:)`` has written.
    /// - Throws: ``BadUsage`` with the part that is not a turn.
    package static func turns(inLine text: String) throws -> [Turn] {
        try text.split(separator: ",", omittingEmptySubsequences: false).enumerated().map { index, part in
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map { String($0).trimmed }
            guard words.count == 2, words.allSatisfy({ !$0.isEmpty }) else {
                throw BadUsage(
                    sentence:
                        "turn \(index + 1) of the order is `\(String(part).trimmed)`; a turn is an app and the place from which it continues, `main: start`, or at which it is killed, `main: dies state.saved`"
                )
            }
            let dies = words[1].hasPrefix(deadly)
            let place = dies ? String(words[1].dropFirst(deadly.count)).trimmed : words[1]
            return Turn(process: words[0], place: place, dies: dies)
        }
    }
}
