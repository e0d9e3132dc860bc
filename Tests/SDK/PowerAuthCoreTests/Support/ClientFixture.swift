// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol
import Testing

/// A session and its server.
struct ClientFixture {
    static let possessionKey = Data(repeating: 0x41, count: 16)
    static let biometryKey = Data(repeating: 0x42, count: 16)
    static let password = "1234"

    let server: ProtocolServer
    let time = FixedTime()
    let session: PowerAuthCoreSession

    init(externalEncryptionKey: Data? = nil) throws {
        server = try ProtocolServer()
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try server.configuration))
        setup.externalEncryptionKey = externalEncryptionKey
        session = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: time))
    }

    static func activated(externalEncryptionKey: Data? = nil, biometry: Bool = false) throws -> Self {
        let fixture = try ClientFixture(externalEncryptionKey: externalEncryptionKey)
        try fixture.activate(biometry: biometry)
        return fixture
    }

    func keys(password: String? = Self.password, biometry: Bool = false) -> PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(
            possessionUnlockKey: Self.possessionKey, biometryUnlockKey: biometry ? Self.biometryKey : nil,
            userPassword: password.map { PowerAuthCorePassword(string: $0) })
    }

    func activate(biometry: Bool = false, recovery: PowerAuthCoreRecoveryData? = nil) throws {
        let started = try #require(session.startActivation(PowerAuthCoreActivationStep1Param()))
        let response = try server.exchange(devicePublicKey: started.devicePublicKey, recovery: recovery)
        try #require(session.validateActivationResponse(response) != nil)
        try #require(session.completeActivation(keys(biometry: biometry)))
    }

    func sign(
        _ factor: PowerAuthCoreSignatureFactor, password: String = Self.password
    ) -> PowerAuthCoreHTTPRequestDataSignature? {
        session.signHttpRequestData(
            PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test"), keys: keys(password: password, biometry: true),
            factor: factor)
    }

    /// Signs and lets the server verify.
    func accepted(_ factor: PowerAuthCoreSignatureFactor, password: String = Self.password) throws -> Bool {
        try server.verify(try #require(sign(factor, password: password)))
    }

    func fetchStatus() throws -> PowerAuthCoreActivationStatus? {
        let challenge = PowerAuthCoreSession.generateActivationStatusChallenge()
        return session.decodeActivationStatus(try server.status(challenge: challenge), keys: keys(password: nil))
    }
}

/// A time service that stands still.
final class FixedTime: PowerAuthCoreTimeService {
    let isTimeSynchronized = true
    func currentTime() -> TimeInterval { 1_735_689_600 }
    func startTimeSynchronizationTask() -> Any { currentTime() }
    func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool { true }
}
