// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import Synchronization
import TestSupport
import Testing

@testable import LabTools

@Suite("A stress run's knowledge of its activations", .endsInTime)
struct StressSecretsTests {
    /// A device whose activation the test replaces.
    private final class Device: Sendable {
        let secrets = StressSecrets()
        private let current = Mutex<String?>(nil)

        func activate(_ activationId: String) throws {
            try secrets.making(activationId, hasExternalKey: { false }) { replace(with: activationId) }
        }

        func replace(with activationId: String) { current.withLock { $0 = activationId } }

        func name() -> String? { current.withLock { $0 } }
    }

    @Test(arguments: [true, false])
    func `A waiting call changes the activation that exists when its turn comes`(isKeyChange: Bool) async throws {
        let device = Device()
        try device.activate("second")
        try device.activate("first")
        let ended = AsyncStream<Bool>.makeStream()
        device.secrets.using {
            Thread.detachNewThread { ended.continuation.yield((try? Self.change(isKeyChange, device)) ?? false) }
            while !device.secrets.hasWaitingCall { sched_yield() }
            device.replace(with: "second")
        }
        var ends = ended.stream.makeAsyncIterator()
        #expect(await ends.next() == true)
        let known = device.secrets.using { device.secrets.activation("second") }
        #expect(known?.hasExternalKey == isKeyChange)
        #expect(known?.password == (isKeyChange ? StressSecrets.first : "changed-1"))
        #expect(known?.passwordNumber == (isKeyChange ? 0 : 1))
        #expect(device.secrets.using { device.secrets.activation("first") } == StressSecrets.Activation())
    }

    private static func change(_ isKeyChange: Bool, _ device: Device) throws -> Bool {
        isKeyChange
            ? try device.secrets.changingKey(named: device.name) { _, _ in true }
            : try device.secrets.changingPassword(named: device.name) { _, _ in device.name() }
    }

    @Test func `A change has the next number and password, and a later change of the key keeps both`() throws {
        let device = Device()
        var numbers: [Int] = []
        for activation in ["first", "second"] {
            try device.activate(activation)
            let isDone = try device.secrets.changingPassword(named: device.name) { known, changed in
                #expect(known == StressSecrets.Activation())
                #expect(changed.password == Secret("changed-\(changed.passwordNumber)"))
                numbers.append(changed.passwordNumber)
                return activation
            }
            #expect(isDone)
        }
        #expect(numbers == [1, 2])
        #expect(try device.secrets.changingKey(named: device.name) { _, _ in true })
        let known = device.secrets.using { device.secrets.activation("second") }
        #expect(known?.passwordNumber == 2)
        #expect(known?.password == "changed-2")
        #expect(known?.hasExternalKey == true)
    }

    @Test func `After a change overlapped by a new activation, neither password is known`() throws {
        let device = Device()
        try device.activate("first")
        let isDone = try device.secrets.changingPassword(named: device.name) { _, _ in
            try device.activate("second")
            return "second"
        }
        #expect(isDone)
        #expect(device.secrets.using { device.secrets.activation("first") } == nil)
        #expect(device.secrets.using { device.secrets.activation("second") } == nil)
    }

    @Test func `A second change is not made during another one, but may follow it`() throws {
        let device = Device()
        try device.activate("first")
        let isDone = try device.secrets.overlapping(named: device.name) { _ in
            let isSecondDone = try device.secrets.overlapping(named: device.name) { _ in }
            #expect(!isSecondDone)
        }
        #expect(isDone)
        #expect(throws: ControlError.self) {
            try device.secrets.overlapping(named: { throw ControlError(.peerDied, message: "") }) { _ in }
        }
        #expect(try device.secrets.overlapping(named: device.name) { _ in })
    }
}
