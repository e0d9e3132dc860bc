// SPDX-License-Identifier: Apache-2.0

/// An order as people read it, and as a scenario has it.
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
    package static func yaml(_ turns: [Turn]) -> [String] {
        ["order:"] + turns.map { "  - \(entry($0))" }
    }

    /// A turn in the `order` of a scenario: `main: start`, or `main: { dies: state.saved }`.
    static func entry(_ turn: Turn) -> String {
        "\(turn.process): \(turn.dies ? "{ dies: \(turn.place) }" : turn.place)"
    }
}
