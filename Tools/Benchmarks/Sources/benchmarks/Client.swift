// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol

/// A session with all server-side data that it needs.
final class Client {
    static let activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"

    /// The keys that unlock the factors of every activation here; the same in every process.
    static var keys: PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(
            possessionUnlockKey: Data(repeating: 0x41, count: 16), biometryUnlockKey: Data(repeating: 0x42, count: 16),
            userPassword: PowerAuthCorePassword(string: "1234"))
    }

    let session: PowerAuthCoreSession
    /// The SDK's configuration string of the server's application.
    let configuration: String
    let masterKey: PrivateKey
    let serverKey: PrivateKey
    let keys = Client.keys
    /// The first value of the hash-based counter.
    let counter = CounterData.random()
    private let time = DeviceTime()
    private let start: PowerAuthCoreActivationStep1Param
    private let response: PowerAuthCoreActivationStep2Param

    init() throws {
        masterKey = try .generate()
        serverKey = try .generate()
        let configuration = try MobileSdkConfiguration(
            applicationKey: Random.bytes(16), applicationSecret: Random.bytes(16),
            masterServerPublicKey: masterKey.publicKey.uncompressed)
        let code = ActivationCode.generate()
        let signedCode = "\(code)#\(StrictBase64.encode(try code.signature(by: masterKey)))"
        self.configuration = configuration.string
        guard let setup = PowerAuthCoreSessionSetup(configuration: configuration.string),
            let session = PowerAuthCoreSession(sessionSetup: setup, timeService: time)
        else { throw ClientFailure() }
        self.session = session
        start = PowerAuthCoreActivationStep1Param(
            activationCode: PowerAuthCoreOtpUtil.parse(fromActivationCode: signedCode))
        response = PowerAuthCoreActivationStep2Param(
            activationId: Self.activationId, serverPublicKey: StrictBase64.encode(serverKey.publicKey.uncompressed),
            ctrData: StrictBase64.encode(counter.rawData))
    }

    static func activated() throws -> Client {
        let client = try Client()
        try client.activate()
        return client
    }

    /// All three steps; an existing activation is dropped first.
    ///
    /// - Parameter other: a session of the same configuration; nil uses the client's own.
    func activate(_ other: PowerAuthCoreSession? = nil) throws {
        let session = other ?? session
        session.resetSession(false)
        guard session.startActivation(start) != nil, session.validateActivationResponse(response) != nil,
            session.completeActivation(keys)
        else { throw ClientFailure() }
    }
}

/// The session refused a call that should succeed.
struct ClientFailure: Error, CustomStringConvertible {
    var description: String { "the session refused a call; turn on the core's log to see why" }
}

/// The device's clock, used as the server's.
private final class DeviceTime: PowerAuthCoreTimeService {
    let isTimeSynchronized = true
    func currentTime() -> TimeInterval { Date().timeIntervalSince1970 }
    func startTimeSynchronizationTask() -> Any { currentTime() }
    func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool { true }
}
