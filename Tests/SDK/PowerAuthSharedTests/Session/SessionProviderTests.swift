// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("The task functions of a session provider (sdk.md, section 5.21)", .endsInTime)
struct SessionProviderTests {
    /// One of the functions.
    private struct Function: Sendable {
        let name: String
        let isWrite: Bool
        /// What it gives when the state is out of reach; nil also for one without a result.
        let failure: Bool?
        let hasResult: Bool
        /// Calls it with a body whose result is true.
        let call: @Sendable (any SessionInterface, (PowerAuthCoreSession) -> Void) -> Bool?
    }

    private static let functions = [
        Function(name: "readTask", isWrite: false, failure: nil, hasResult: true) { interface, body in
            interface.readTask { session -> Bool? in
                body(session)
                return true
            }
        },
        Function(name: "writeTask", isWrite: true, failure: nil, hasResult: true) { interface, body in
            interface.writeTask { session -> Bool? in
                body(session)
                return true
            }
        },
        Function(name: "readBoolTask", isWrite: false, failure: false, hasResult: true) { interface, body in
            interface.readBoolTask { session in
                body(session)
                return true
            }
        },
        Function(name: "writeBoolTask", isWrite: true, failure: false, hasResult: true) { interface, body in
            interface.writeBoolTask { session in
                body(session)
                return true
            }
        },
        Function(name: "readVoidTask", isWrite: false, failure: nil, hasResult: false) { interface, body in
            interface.readVoidTask { session in body(session) }
            return nil
        },
        Function(name: "writeVoidTask", isWrite: true, failure: nil, hasResult: false) { interface, body in
            interface.writeVoidTask { session in body(session) }
            return nil
        },
    ]

    /// A device, and the application whose session is under test.
    private func started(isSharing: Bool) throws -> (device: TemporaryDevice, interface: any SessionInterface) {
        let device = try TemporaryDevice()
        if isSharing { return (device, try SharingApp("main", on: device).interface) }
        let sandbox = try device.sandbox()
        return (device, try Installed(in: sandbox, instanceId: SharingApp.instanceId).session(in: sandbox))
    }

    /// The stored state, in the service of the default configuration.
    private func stored(on device: TemporaryDevice, isSharing: Bool) throws -> Data? {
        let sandbox = isSharing ? try SharingApp.sandbox("main", on: device) : try device.sandbox()
        return PowerAuthKeychain(
            identifier: PowerAuthKeychain_Status, accessGroup: isSharing ? SharingApp.accessGroup : nil,
            system: sandbox.keychain
        ).data(forKey: SharingApp.instanceId)
    }

    @Test(arguments: [false, true])
    func `Each runs its body once and gives its result; only the write functions store`(isSharing: Bool) throws {
        for function in Self.functions {
            let (device, interface) = try started(isSharing: isSharing)
            var runs = 0
            let result = function.call(interface) { session in
                runs += 1
                #expect(session.deserializeState(StoredStates.version6))
            }
            #expect(result == (function.hasResult ? true : nil), "\(function.name)")
            #expect(runs == 1, "\(function.name)")
            let state = try stored(on: device, isSharing: isSharing)
            #expect(state == (function.isWrite ? StoredStates.version6 : nil), "\(function.name)")
        }
    }

    @Test(arguments: [false, true])
    func `While the state is out of reach no body runs, and the result is nil or false`(isSharing: Bool) throws {
        let (device, interface) = try started(isSharing: isSharing)
        let wallet = isSharing ? try SharingApp("wallet", on: device) : nil
        for function in Self.functions {
            // Each of these makes the next task load the state, which it cannot.
            if let wallet {
                try wallet.save(StoredStates.version6)
                try wallet.save(StoredStates.empty)
            } else {
                try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
                interface.writeVoidTask { _ = $0.deserializeState(StoredStates.version6) }
            }
            try device.faults.arm(FaultRule(point: .keychainRead, process: "main", action: .fail("EIO")))
            let result = function.call(interface) { _ in Issue.record("\(function.name) runs") }
            #expect(result == function.failure, "\(function.name)")
            #expect(interface.canStartActivation(), "the state is within reach again")
        }
    }

    @Test(arguments: [false, true])
    func `A write function whose state could not be stored gives nil or false`(isSharing: Bool) throws {
        let (device, interface) = try started(isSharing: isSharing)
        for function in Self.functions where function.isWrite {
            try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
            let result = function.call(interface) { _ = $0.deserializeState(StoredStates.version6) }
            #expect(result == function.failure, "\(function.name)")
            #expect(!interface.hasValidActivation())
        }
    }

    @Test(arguments: [false, true])
    func `Of two errors, the body's is reported and not that of the keychain`(isSharing: Bool) throws {
        let (device, interface) = try started(isSharing: isSharing)
        try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        #expect(throws: CancellationError.self) {
            try interface.write { session in
                _ = session.deserializeState(StoredStates.version6)
                throw CancellationError()
            }
        }
        #expect(!interface.hasValidActivation())
    }
}
