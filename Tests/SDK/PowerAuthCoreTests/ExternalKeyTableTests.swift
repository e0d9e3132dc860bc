// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// The external encryption key protects knowledge and biometry wherever they are used, and nothing else (protocol.md,
/// section 14).
@Suite("Sessions: every use of the external key", .endsInTime)
struct ExternalKeyTableTests {
    @Test(arguments: ExternalKeySituation.allCases, ExternalKeyOrigin.allCases)
    func `A use of knowledge or biometry needs the key that the activation uses, and no other use needs any`(
        situation: ExternalKeySituation, origin: ExternalKeyOrigin
    ) throws {
        for use in ExternalKeyUse.all {
            let session = try ExternalKeySession(situation, origin)
            #expect(try session.perform(use) == use.outcome(in: situation), "\(use), \(situation), \(origin)")
        }
    }

    /// Methods of a session that unlock no factor, and those that are about the key itself, which
    /// `SessionFactorTests` have.
    private static let others: Set = [
        "setExternalEncryptionKey", "addExternalEncryptionKey", "removeExternalEncryptionKey",
        "restoreExternalEncryptionKey", "hasBiometryFactor",
    ]

    @Test func `Every method of a session that takes unlock keys or a password has its row`() throws {
        let directory = Project.file("Sources/SDK/PowerAuthCore/Session")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasPrefix("PowerAuthCoreSession") }
        let methods = try files.flatMap { file in
            let text = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
            return text.matches(of: /public (?:func|static func) (\w+)\(([^{]*)\{/).filter {
                $0.2.contains("PowerAuthCoreSignatureUnlockKeys") || $0.2.contains("PowerAuthCorePassword")
                    || $0.1.contains("BiometryFactor") || $0.1.contains("ExternalEncryptionKey")
            }.map { String($0.1) }
        }
        let rows = Set(ExternalKeyUse.all.map(\.method)).union(Self.others)
        let missing = Set(methods).subtracting(rows).subtracting(["completeActivation"])
        #expect(missing.sorted() == [], "declare in ExternalKeyTable.swift what the external key is to them")
        #expect(Set(methods).isSuperset(of: ExternalKeyUse.all.map(\.method)))
    }

    @Test(arguments: [1, 2, 3])
    func `A key that was removed is needed no more, and another one can take its place`(count: Int) throws {
        let fixture = try ClientFixture.activated(biometry: true)
        for number in 1...count {
            let key = Data(repeating: UInt8(number), count: 16)
            #expect(fixture.session.addExternalEncryptionKey(key) == .ok)
            for type in [PowerAuthCoreSignatureFactor.possession_Knowledge, .possession_Biometry] {
                #expect(try fixture.accepted(type))
            }
            #expect(fixture.session.removeExternalEncryptionKey() == .ok)
            for type in [PowerAuthCoreSignatureFactor.possession_Knowledge, .possession_Biometry] {
                #expect(try fixture.accepted(type))
            }
        }
    }

    @Test(arguments: [0, 15, 16, 17, 32]) func `A key has sixteen bytes`(count: Int) throws {
        let key = Data(repeating: 7, count: count)
        let fixture = try ClientFixture.activated()
        #expect((fixture.session.addExternalEncryptionKey(key) == .ok) == (count == 16))
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration))
        setup.externalEncryptionKey = key
        // An empty key in the configuration means no key.
        #expect(
            PowerAuthCoreSession(sessionSetup: setup, timeService: fixture.time)?.hasValidSetup
                == (count == 16 || count == 0))
        let empty = try ClientFixture()
        #expect((empty.session.setExternalEncryptionKey(key) == .ok) == (count == 16))
    }
}
