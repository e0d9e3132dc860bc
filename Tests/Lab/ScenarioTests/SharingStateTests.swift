// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The state that apps share, for people and programs", .endsInTime)
struct SharingStateTests {
    private static let activation = InspectSharing.Activation {
        $0.instanceId = "bank"
        $0.appGroup = "group.a"
        $0.apps = ["main", "wallet"]
        $0.memory = [
            InspectSharing.Memory {
                $0.name = "group.a.Ez3P"
                $0.isRecorded = true
                $0.state = .usable
                $0.size = 256
                $0.magic = "MPS"
                $0.version = "1"
                $0.instanceHash = "ab"
                $0.stateModifyCounter = 3
                $0.tokenModifyCounter = .max
                $0.operationTicket = 2
            },
            InspectSharing.Memory {
                $0.name = "group.a.x"
                $0.isRecorded = false
                $0.state = .tooShort
                $0.size = 100
            },
        ]
        $0.statusLock = lock(holding: process("main", 7, duration: 12), waiting: [process("wallet", 8)])
        $0.queueLock = lock()
        $0.operationLock = lock(holding: process("main", 7, .suspended, duration: 4200))
        $0.operation = InspectSharing.Operation {
            $0.type = "activation"
            $0.application = "com.main"
            $0.app = "main"
            $0.age = 1500
            $0.ownerIsAlive = true
        }
        $0.keychainItems = [
            InspectSharing.Item {
                $0.service = "Biometry"
                $0.account = "bank"
                $0.accessGroup = "T.a"
                $0.size = 16
                $0.protection = .anyBiometricSet
            }
        ]
    }

    private static func lock(
        holding holder: InspectSharing.Process? = nil, waiting: [InspectSharing.Process] = []
    ) -> InspectSharing.Lock {
        InspectSharing.Lock {
            $0.holders = holder.map { [$0] } ?? []
            $0.waiting = waiting
        }
    }

    private static func process(
        _ app: String, _ pid: Int32, _ state: Processes.State = .running, duration: Int? = nil
    ) -> InspectSharing.Process {
        InspectSharing.Process {
            $0.app = app
            $0.pid = pid
            $0.state = state
            $0.duration = duration
        }
    }

    private let state = SharingState(devices: [
        SharingState.Device(name: "phone", activations: [activation]),
        SharingState.Device(name: "tablet", activations: []),
    ])

    @Test func `Every part has its line`() throws {
        #expect(
            try state.about("wallet").lines == [
                "bank in group.a on phone, shared by main, wallet",
                "  memory          group.a.Ez3P: usable, 256 bytes",
                "                  magic MPS, version 1, instanceIdentifier ab",
                "                  stateModifyCounter 3, tokenModifyCounter 18446744073709551615, specialOpTicket 2",
                "  memory          group.a.x: too short; the next app recreates it, 100 bytes, not the name that the apps have recorded",
                "  operation       activation of com.main (main), last sign of life 1.5 s ago; its owner is alive",
                "  status lock     held by main (pid 7, for 12 ms); wallet (pid 8) waits",
                "  queue lock      free",
                "  operation lock  held by main (pid 7, suspended, for 4.2 s)",
                "  keychain        Biometry / bank: 16 bytes, protected by anyBiometricSet",
            ])
    }

    @Test func `The document survives a round trip`() throws {
        let text = try state.rendered()
        let copy = try SharingState(reading: Data(text.utf8))
        #expect(copy.version == 1)
        #expect(try copy.rendered() == text)
        #expect(copy.lines == state.lines)
    }

    @Test func `Asking about an app or a group that shares nothing is an error; a missing answer is reported`() throws {
        #expect(try state.about("group.a").devices.count == 1)
        let error = #expect(throws: BadUsage.self) { try state.about("walet") }
        #expect(error?.description.contains("did you mean `wallet`?") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("main, wallet, group.a") == true, "\(error?.description ?? "")")
        #expect(throws: BadUsage.self) { try SharingState(devices: []).about("main") }
        let silent = SharingState(devices: [SharingState.Device(name: "phone", activations: [], problem: "ended")])
        #expect(try silent.about("main").lines == ["phone does not answer: ended"])
    }

    @Test func `A failure refers to shared state only if it was changing`() {
        #expect(state.suspect(preferring: "wallet") == "wallet")
        #expect(state.suspect(preferring: "phone") == "main")
        #expect(state.suspect(preferring: nil) == "main")
        var activation = Self.activation
        activation.operation = nil
        activation.operationLock = Self.lock()
        let suspect = {
            SharingState(devices: [SharingState.Device(name: "phone", activations: [activation])])
                .suspect(preferring: "main")
        }
        #expect(suspect() == nil, "a task that runs")
        activation.statusLock = Self.lock()
        activation.queueLock = Self.lock(holding: Self.process("main", 1, duration: 5000))
        #expect(suspect() == "main", "a request that does not end")
        activation.queueLock = Self.lock()
        #expect(suspect() == nil)
        activation.memory[0].state = .otherInstance
        #expect(suspect() == "main", "a page that apps refuse")
    }
}
