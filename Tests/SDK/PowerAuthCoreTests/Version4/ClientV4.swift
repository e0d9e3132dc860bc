// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Testing

@testable import PowerAuthCore

/// A session that speaks protocol 4, and its server.
struct ClientV4 {
    let server: ServerV4
    let time = FixedTime()
    let session: PowerAuthCoreSession

    init(suite: CryptographySuite = .ecP384) throws {
        server = try ServerV4(suite: suite)
        session = try Self.session(of: server, time)
    }

    private static func session(of server: ServerV4, _ time: FixedTime) throws -> PowerAuthCoreSession {
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try server.configuration))
        setup.suites = [server.suite] + ServerV4.suites.filter { $0 != server.suite }
        return try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: time))
    }

    static func activated(suite: CryptographySuite = .ecP384, biometry: Bool = false) throws -> Self {
        let client = try ClientV4(suite: suite)
        try client.activate(biometry: biometry)
        return client
    }

    /// Another session of the same application, as after a restart.
    func restarted() throws -> PowerAuthCoreSession {
        let other = try Self.session(of: server, time)
        try #require(other.deserializeState(session.serializedState()))
        return other
    }

    func keys(
        password: String? = ClientFixture.password, biometry: Bool = false
    ) -> PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(
            possessionUnlockKey: ClientFixture.possessionKey,
            biometryUnlockKey: biometry ? ClientFixture.biometryKey : nil,
            userPassword: password.map { PowerAuthCorePassword(string: $0) })
    }

    // MARK: Messages

    func fetchTemporaryKey(_ scope: PowerAuthCoreEciesEncryptorScope) throws {
        let exchange = try session.temporaryKeyExchangeV4(for: scope, keys: keys())
        let validity = try session.acceptTemporaryKeyV4(server.temporaryKey(exchange.jwt), answering: exchange)
        try #require(session.temporaryKeyIdV4(for: scope) == validity.keyId)
    }

    /// Sends an encrypted message through its JSON form, and returns the decrypted answer.
    func send(bytes body: Data, _ purpose: AeadPurpose, answer: (Data) throws -> Data) throws -> Data {
        let encryptor = try session.requestEncryptorV4(for: purpose, keys: keys())
        let sent = try JSONEncoder().encode(encryptor.encryptRequest(body))
        let (plaintext, response) = try server.decrypt(JSONDecoder().decode(AeadRequest.self, from: sent), purpose)
        let answered = try response.encrypt(try answer(plaintext), timestamp: 1_735_689_600_000)
        return try encryptor.decryptResponse(answered)
    }

    /// The same for typed bodies.
    func send<Answer: Codable>(
        _ body: some Encodable, _ purpose: AeadPurpose, answer: (Data) throws -> Answer
    ) throws -> Answer {
        let plaintext = try send(bytes: JSONEncoder().encode(body), purpose) { try JSONEncoder().encode(answer($0)) }
        return try JSONDecoder().decode(Answer.self, from: plaintext)
    }

    func code(
        _ factor: PowerAuthCoreSignatureFactor, password: String = ClientFixture.password, uri: String = "/test"
    ) throws -> ComputedCode {
        try session.authenticationCode(
            PowerAuthCoreHTTPRequestData(method: "POST", uri: uri), keys: keys(password: password, biometry: true),
            factor: factor)
    }

    /// Computes a code and lets the server verify.
    func accepted(_ factor: PowerAuthCoreSignatureFactor, password: String = ClientFixture.password) throws -> Bool {
        try server.verify(code(factor, password: password))
    }

    func fetchStatus() throws -> SynchronizedStatus {
        try session.decodeStatusV4(server.status(), keys: keys(password: nil))
    }

    // MARK: Journeys

    /// Up to the moment where only the confirmation is missing.
    func exchangeKeys(biometry: Bool = false) throws {
        try fetchTemporaryKey(.application)
        var request = try session.startActivationV4()
        request.activationName = "Eva's phone"
        let answer = try send(request, .activationLayer2) { try server.activate($0, hasBiometry: biometry) }
        let fingerprint = try session.validateActivationResponseV4(answer)
        #expect(try fingerprint == server.fingerprint)
        try session.completeActivationV4(keys(biometry: biometry))
    }

    static func confirmation(biometry: Bool) -> Data {
        Data("{\"requestObject\":{\"enableBiometry\":\(biometry)}}".utf8)
    }

    func activate(biometry: Bool = false) throws {
        try exchangeKeys(biometry: biometry)
        let body = Self.confirmation(biometry: biometry)
        let code = try session.activationConfirmationCode(body: body, keys: keys())
        try #require(code.type == .possessionKnowledge)
        try #require(try server.verify(code, uri: "/pa/activation/confirm", body: body))
        server.flags = biometry ? .biometryEnabled : []
        try session.confirmActivationV4()
        try fetchTemporaryKey(.activation)
    }

    /// An activation of version 3.3, which can be upgraded.
    func activateVersion3(biometry: Bool = false) throws {
        let started = try #require(session.startActivation(PowerAuthCoreActivationStep1Param()))
        let response = try server.older.exchange(devicePublicKey: started.devicePublicKey)
        try #require(session.validateActivationResponse(response) != nil)
        try #require(session.completeActivation(keys(biometry: biometry)))
    }

    /// A code of version 3.3.
    func sign(
        _ factor: PowerAuthCoreSignatureFactor, password: String = ClientFixture.password, uri: String = "/test",
        body: Data = Data()
    ) -> PowerAuthCoreHTTPRequestDataSignature? {
        session.signHttpRequestData(
            PowerAuthCoreHTTPRequestData(method: "POST", uri: uri, body: body),
            keys: keys(password: password, biometry: true), factor: factor)
    }

    /// Whether the server accepts a code of version 3.3.
    func accepted3(_ factor: PowerAuthCoreSignatureFactor, password: String = ClientFixture.password) throws -> Bool {
        try server.older.verify(try #require(sign(factor, password: password)))
    }
}

/// The reason of a refusal of a session's call; nil without one.
func refusal(_ body: () throws -> Void) -> PowerAuthCoreErrorCode? {
    do {
        try body()
        return nil
    } catch {
        return error as? PowerAuthCoreErrorCode
    }
}
