// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The trace board keeps the events that can be queried", .endsInTime)
struct TraceBoardTests {
    private let directory: TemporaryDirectory
    private let writer: TraceWriter

    init() throws {
        directory = try TemporaryDirectory()
        writer = try TraceWriter(directory: directory.path, process: "main", incarnation: 1)
    }

    /// Writes events, and waits until the board has seen them.
    private func emit(_ name: TraceEventName, times: Int, on board: TraceBoard) {
        let seen = board.generation
        for number in 0..<times { writer.emit(name, ["number": .integer(Int64(number))]) }
        while board.generation < seen + times { board.wait(after: board.generation, timeout: .seconds(1)) }
    }

    private func isThere(_ name: TraceEventName, on board: TraceBoard) -> Bool {
        board.consume(timeout: .zero, isCancelled: { false }) { $0.name == name }
    }

    @Test(.verifies("size", "TraceBoard.fewest"))
    func `An event with a kept name is found after any number of others; other events are not kept`() async throws {
        try await onThread {
            let board = try TraceBoard(directory: directory.path, keeping: ["state.saved"])
            defer { board.stop() }
            emit(.stateSaved, times: 2, on: board)
            emit(.log, times: 3_000, on: board)
            #expect(board.generation == 3_002)
            #expect(isThere(.stateSaved, on: board) && isThere(.stateSaved, on: board))
            #expect(!isThere(.stateSaved, on: board), "each is taken once")
            #expect(!isThere(.log, on: board))
        }
    }

    @Test func `Without names, all events are kept`() async throws {
        try await onThread {
            let board = try TraceBoard(directory: directory.path)
            defer { board.stop() }
            emit(.log, times: 1, on: board)
            emit(.stateSaved, times: 2_000, on: board)
            #expect(isThere(.log, on: board))
        }
    }

    @Test(.verifies("size", "TraceBoard.mostAtOnce"), arguments: [4_095, 4_096, 4_097, 8_192])
    func `An event behind any number of kept ones is found once`(others: Int) async throws {
        try await onThread {
            let board = try TraceBoard(directory: directory.path)
            defer { board.stop() }
            emit(.log, times: others, on: board)
            emit(.stateSaved, times: 1, on: board)
            #expect(isThere(.stateSaved, on: board))
            #expect(!isThere(.stateSaved, on: board))
            #expect(isThere(.log, on: board))
        }
    }

    @Test
    func `A query since a forgotten time reports possible news at once, unless nothing is of interest`() async throws {
        try await onThread {
            let board = try TraceBoard(directory: directory.path, keeping: [])
            defer { board.stop() }
            emit(.log, times: 2_000, on: board)
            let other = TraceBoard.Interest(processes: ["wallet"], own: nil)
            func hasNews(after generation: Int, _ interest: TraceBoard.Interest) -> Bool {
                board.wait(after: generation, for: interest, timeout: .zero)
            }
            #expect(hasNews(after: 0, .everything))
            #expect(hasNews(after: 0, other), "one that is forgotten may have been of it")
            #expect(!hasNews(after: 0, .nothing))
            #expect(!hasNews(after: 1_990, other))
            #expect(hasNews(after: 1_990, .everything))
        }
    }

    @Test func `A wait for an event ends at any moment when all waiting is ended`() async throws {
        try await onThread {
            let board = try TraceBoard(directory: directory.path)
            defer { board.stop() }
            // Between the check for the end and the wait, where the signal to end could be missed.
            var looks = 0
            let isFound = board.consume(timeout: .minutes(60)) {
                looks += 1
                if looks == 1 { board.wakeAll() }
                return looks > 1
            } matches: { _ in
                false
            }
            #expect(!isFound && looks == 2)
        }
    }

    @Test
    func `A scenario can query the events of its waits, at any place, and the commands of its races`() async throws {
        let text = """
            name: Waits
            setup:
              - waitFor: { event: process.ready, peer: main }
            steps:
              - eventually: 5s
                steps:
                  - parallel:
                      - - waitFor: { event: state.saved }
                      - - clock: freeze
            tearDown:
              - waitFor: { event: process.ended, within: 1ms }
            """
        func names(_ text: String) throws -> Set<String> {
            let lab = SuiteReader(labPath: "\(TestFiles.directory)/Failures/lab.yaml", environment: [:])
                .readLabFile(near: ".")
            let file = SourceFile(path: "scenario.yaml", text: text)
            let reading = ScenarioReader.read(
                file, id: "scenario.yaml", labFile: try #require(lab.labFile), environment: [:])
            try #require(reading.diagnostics.isEmpty, "\(DiagnosticRenderer().render(reading.diagnostics))")
            return try #require(reading.scenarios.first).awaitedEvents
        }
        #expect(try names(text) == ["process.ready", "state.saved", "process.ended"])
        let race = "race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]"
        #expect(try names("name: Race\nsteps:\n  - \(race)\n") == ["command.started", "command.finished"])
    }
}
