// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Activations of protocol 4 that are blocked for a time", .endsInTime)
struct TemporaryBlockTests {
    /// Milliseconds of the first block.
    private static let first: Int64 = 300_000

    /// How a device proves itself.
    enum Proof: CaseIterable {
        case online
        case offline

        /// Sends a code with possession and knowledge.
        /// - Returns: whether it was accepted.
        func send(_ device: inout TestDeviceV4, isCorrect: Bool = true) async throws -> Bool {
            switch self {
            case .online: return try await device.validate(isCorrect: isCorrect) == 200
            case .offline: return try await device.verifyOffline(isCorrect: isCorrect)
            }
        }

        /// Sends as many wrong codes as an activation survives.
        func fail(_ device: inout TestDeviceV4, times: Int = 5) async throws {
            for _ in 0..<times { #expect(try await !send(&device, isCorrect: false)) }
        }
    }

    private func withDevice(
        _ body: @escaping @Sendable (inout TestDeviceV4, ServerClient) async throws -> Void
    ) async throws {
        try await ServerFixture { $0.policy.temporaryBlocking = Self.first }.run { client in
            var device = try await client.activeDeviceV4()
            try await body(&device, client)
        }
    }

    @Test(arguments: Proof.allCases)
    func `Too many wrong codes block until the time is over, and a right one forgets them`(proof: Proof) async throws {
        try await withDevice { device, client in
            try await proof.fail(&device, times: 4)
            #expect(try await proof.send(&device))
            try await proof.fail(&device)
            client.clock.advance(milliseconds: Self.first - 1)
            for proof in Proof.allCases { #expect(try await !proof.send(&device)) }
            #expect(try await device.validate(type: .possession) == 401)
            #expect(try await device.status().failedAttempts == 5)
            #expect(try await client.status(of: device) == "ACTIVE")
            client.clock.advance(milliseconds: 1)
            #expect(try await proof.send(&device))
            #expect(try await device.status().failedAttempts == 0)
            // The next block is a first one again.
            try await proof.fail(&device)
            client.clock.advance(milliseconds: Self.first)
            #expect(try await proof.send(&device))
        }
    }

    @Test(arguments: Proof.allCases)
    func `Behind a block one code is compared, and each block is twice as long as the one before`(proof: Proof)
        async throws
    {
        try await withDevice { device, client in
            try await proof.fail(&device)
            for doublings in 0..<3 {
                client.clock.advance(milliseconds: Self.first << doublings)
                try await proof.fail(&device, times: 1)
                #expect(try await !proof.send(&device), "the attempt was used")
            }
            client.clock.advance(milliseconds: (Self.first << 3) - 1)
            #expect(try await !proof.send(&device))
            client.clock.advance(milliseconds: 1)
            // Possession alone neither uses the attempt nor forgets the block.
            #expect(try await device.validate(type: .possession, isCorrect: false) == 401)
            #expect(try await device.validate(type: .possession) == 200)
            #expect(try await proof.send(&device))
        }
    }

    @Test func `The back office takes a block back, and its own block goes before`() async throws {
        try await withDevice { device, client in
            try await Proof.online.fail(&device)
            try await client.backOffice("activation/unblock", ["activationId": device.activationId]).expectOK()
            #expect(try await device.validate() == 200)
            try await Proof.online.fail(&device)
            try await client.backOffice("activation/block", ["activationId": device.activationId]).expectOK()
            client.clock.advance(milliseconds: Self.first)
            #expect(try await device.validate() == 401)
            try await client.backOffice("activation/unblock", ["activationId": device.activationId]).expectOK()
            #expect(try await device.validate() == 200)
        }
    }

    @Test func `A block survives a restart of the server`() async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        func run(_ body: @Sendable (ServerClient) async throws -> Void) async throws {
            try await ServerFixture(directory: directory, clock: clock) {
                $0.policy.temporaryBlocking = Self.first
            }.run(body)
        }
        let kept = Kept()
        try await run { client in
            var device = try await client.activeDeviceV4()
            try await Proof.online.fail(&device)
            await kept.keep(device)
        }
        try await run { client in
            var device = try await kept.device(client)
            #expect(try await device.validate() == 401)
            clock.advance(milliseconds: Self.first)
            #expect(try await device.validate() == 200)
        }
    }

    @Test func `Without the setting, and in protocol 3, wrong codes block until the back office takes it back`()
        async throws
    {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            try await Proof.online.fail(&device)
            #expect(try await client.status(of: device) == "BLOCKED")
        }
        try await withDevice { _, client in
            var former = try await client.activeDevice()
            for _ in 0..<5 { #expect(try await former.validateSignature(correct: false) == 401) }
            client.clock.advance(milliseconds: Self.first)
            #expect(try await former.validateSignature() == 401)
            let status = try await client.backOffice("activation/status", ["activationId": former.activationId])
            #expect(status.text("activationStatus") == "BLOCKED")
        }
    }

    @Test(.verifies("size", "TemporaryBlock.mostDoublings"))
    func `Blocks stop growing after twenty doublings`() {
        var block: TemporaryBlock?
        let now = ServerTime(milliseconds: 1_000)
        var lengths: [Int64] = []
        for _ in 0..<23 {
            block = .following(block, at: now, first: 3)
            lengths.append((block?.until.milliseconds ?? 0) - now.milliseconds)
        }
        #expect(lengths.prefix(3) == [3, 6, 12])
        #expect(lengths.suffix(3) == [3 << 20, 3 << 20, 3 << 20])
        #expect(block?.number == 23)
    }
}

/// A device between two servers.
private actor Kept {
    private var former: TestDeviceV4?

    func keep(_ device: TestDeviceV4) { former = device }

    /// The same device, which speaks to another server.
    func device(_ client: ServerClient) async throws -> TestDeviceV4 {
        let kept = former
        let former = try #require(kept)
        var device = try await TestDeviceV4(client, former.suite)
        device.activationId = former.activationId
        device.secrets = former.secrets
        device.serverKeys = former.serverKeys
        device.counter = former.counter
        return device
    }
}

extension ServerClient {
    /// The status of a device's activation, as the back office names it.
    fileprivate func status(of device: TestDeviceV4) async throws -> String? {
        try await backOffice("activation/status", ["activationId": device.activationId]).text("activationStatus")
    }
}
