// SPDX-License-Identifier: Apache-2.0

import Kills
import LabCore
import LabPoints
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// The rules that the kill matrix checks on traces, with handwritten traces.
    @Suite("Counters in the traces of a kill matrix")
    struct CounterHistoryTests {
        private let directory: TemporaryDirectory
        private let main: TraceWriter
        private let wallet: TraceWriter

        init() throws {
            directory = try TemporaryDirectory()
            main = try TraceWriter(directory: directory.path, process: "main", incarnation: 1)
            wallet = try TraceWriter(directory: directory.path, process: "wallet", incarnation: 1)
        }

        private func use(_ counter: String, in trace: TraceWriter, endsTask: Bool = true) {
            trace.emit(
                .counterUsed, ["counter": .string(counter), "activationId": "A", "factor": "possession_knowledge"])
            if endsTask { trace.emit(.lockReleased, ["lock": "status"]) }
        }

        private func isOffence() throws -> Bool {
            try CounterHistory.firstOffence(in: TraceReader.readAll(directory.path)) != nil
        }

        @Test func `A counter that two apps use is an offence; one counter each is not`() throws {
            use("a", in: main)
            use("b", in: wallet)
            #expect(try !isOffence())
            use("a", in: wallet)
            #expect(try isOffence())
        }

        @Test func `The next app may use a counter that died with its task, once`() throws {
            use("a", in: main, endsTask: false)
            use("a", in: wallet)
            #expect(try !isOffence())
            use("a", in: wallet)
            #expect(try isOffence())
        }

        @Test func `The change counter only grows until the memory is recreated`() throws {
            main.emit(.counterBumped, ["counter": 2])
            wallet.emit(.counterBumped, ["counter": 3])
            main.emit(.memoryCreated, ["name": "group"])
            main.emit(.counterBumped, ["counter": 2])
            wallet.emit(.memoryRepaired, ["name": "group", "cause": "noContent"])
            main.emit(.counterBumped, ["counter": 2])
            #expect(try !isOffence())
            wallet.emit(.memoryRepaired, ["name": "group", "cause": "deadOwner"])
            wallet.emit(.counterBumped, ["counter": 2])
            #expect(try isOffence())
        }

        @Test func `A damaged item of the keychain is an offence`() throws {
            main.emit(.keychainCorrupted, ["service": "S", "account": "A"])
            #expect(try isOffence())
        }
    }
}
