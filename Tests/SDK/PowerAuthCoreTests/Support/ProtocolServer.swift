// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol

/// The server's side of one activation, made of the protocol's mathematics only.
final class ProtocolServer {
    static let applicationKey = Data(0..<16)
    static let applicationSecret = Data(16..<32)

    let masterKey: PrivateKey
    let serverKey: PrivateKey
    var activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
    private(set) var keys: DerivedKeys?
    var counter = CounterData.random()
    var counterNumber = 0
    var failedAttempts: UInt8 = 0
    var maxFailedAttempts: UInt8 = 5
    var lookAhead = 20
    var state = ActivationState.pendingCommit

    init() throws {
        masterKey = try .generate()
        serverKey = try .generate()
    }

    var configuration: String {
        get throws {
            try MobileSdkConfiguration(
                applicationKey: Self.applicationKey, applicationSecret: Self.applicationSecret,
                masterServerPublicKey: masterKey.publicKey.uncompressed
            ).string
        }
    }

    /// Answers a key exchange.
    func exchange(devicePublicKey: String, recovery: PowerAuthCoreRecoveryData? = nil) throws
        -> PowerAuthCoreActivationStep2Param
    {
        let exchange = try ActivationKeyExchange(
            serverKey: serverKey, activationId: activationId,
            devicePublicKey: StrictBase64.decode(devicePublicKey, field: "devicePublicKey"), counter: .random())
        keys = exchange.keys
        counter = exchange.counter
        counterNumber = 0
        state = .active
        return PowerAuthCoreActivationStep2Param(
            activationId: activationId, serverPublicKey: StrictBase64.encode(serverKey.publicKey.uncompressed),
            ctrData: StrictBase64.encode(exchange.counter.rawData), activationRecovery: recovery)
    }

    /// Verifies an online signature the way a server does.
    func verify(
        _ signature: PowerAuthCoreHTTPRequestDataSignature, method: String = "POST", uri: String = "/test",
        body: Data = Data()
    ) throws -> Bool {
        guard let keys, state == .active else { return false }
        let header = try SignatureHeader(parsing: signature.authHeaderValue)
        let data = SymmetricSignature.normalize(
            method: method, uriId: uri, nonce: header.nonce, body: body,
            applicationSecretText: StrictBase64.encode(Self.applicationSecret))
        let match = try ServerSignatureVerification.match(
            signature: header.signature, version: header.version,
            keys: SignatureKeys(keys, factors: header.signatureType.factors), data: data, counter: counter,
            lookAhead: lookAhead)
        guard let match else {
            if header.signatureType != .possession {
                failedAttempts += 1
                if failedAttempts >= maxFailedAttempts { state = .blocked }
            }
            return false
        }
        if header.signatureType != .possession { failedAttempts = 0 }
        counter = match.nextCounter
        counterNumber += match.distance + 1
        return true
    }

    /// Moves the server's counter without the client.
    func advance(by count: Int) {
        counter = counter.advanced(by: count)
        counterNumber += count
    }

    /// Answers a status request.
    func status(challenge: String) throws -> PowerAuthCoreEncryptedActivationStatus {
        let transport = keys!.transport
        let nonce = Random.bytes(16)
        let exchange = try StatusBlob.Exchange(
            challenge: StrictBase64.decode(challenge, field: "challenge"), nonce: nonce)
        let blob = StatusBlob(
            state: state, failedAttempts: failedAttempts, maxFailedAttempts: maxFailedAttempts,
            counter: .init(
                byte: UInt8(truncatingIfNeeded: counterNumber), lookAhead: UInt8(lookAhead),
                dataHash: StatusBlob.counterDataHash(transportKey: transport, counter: counter)))
        return PowerAuthCoreEncryptedActivationStatus(
            challenge: challenge,
            encryptedStatusBlob: StrictBase64.encode(try blob.encrypted(transportKey: transport, exchange: exchange)),
            nonce: StrictBase64.encode(nonce))
    }

    /// The vault key as the server sends it.
    func encryptedVaultKey() throws -> String {
        StrictBase64.encode(try Vault.wrap(keys!.vault, transportKey: keys!.transport))
    }
}
