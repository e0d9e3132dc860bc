// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The result of a key exchange; both sides compute the same values (protocol.md, section 6.2).
public struct ActivationKeyExchange: Sendable {
    /// Id of the activation.
    public let activationId: String
    /// Counter data of the first signature.
    public let counter: CounterData
    /// The keys of the activation.
    public let keys: DerivedKeys
    /// Eight digits both sides can show.
    public let fingerprint: String
    /// The peer's checked public key.
    public let peerPublicKey: PublicKey

    /// The client's side, from the layer 2 response.
    /// - Parameters:
    ///   - deviceKey: the key pair made at the start.
    ///   - activationId: not empty.
    ///   - serverPublicKey: 33 or 65 bytes.
    ///   - counterData: `ctrData`, 16 bytes.
    /// - Throws: ``ProtocolError/missing(field:)`` (a wrong parameter), ``ProtocolError/invalidKey(_:)`` or
    ///   ``ProtocolError/invalidLength(field:expected:actual:)`` (an encryption error).
    public init(deviceKey: PrivateKey, activationId: String, serverPublicKey: Data, counterData: Data) throws {
        let values = [("serverPublicKey", serverPublicKey), ("ctrData", counterData)]
        guard !activationId.isEmpty else { throw ProtocolError.missing(field: "activationId") }
        for (field, value) in values where value.isEmpty { throw ProtocolError.missing(field: field) }
        let server = try PublicKey(encoded: serverPublicKey, field: "serverPublicKey")
        self.activationId = activationId
        counter = try CounterData(counterData)
        keys = DerivedKeys(masterSecret: try .derive(private: deviceKey, public: server))
        fingerprint = Fingerprint.v3(device: deviceKey.publicKey, activationId: activationId, server: server)
        peerPublicKey = server
    }

    /// The server's side, from the layer 2 request.
    /// - Parameters:
    ///   - serverKey: the activation's key pair.
    ///   - devicePublicKey: 33 or 65 bytes.
    ///   - counter: fresh counter data.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for a device key that is not a P-256 point.
    public init(
        serverKey: PrivateKey, activationId: String, devicePublicKey: Data, counter: CounterData = .random()
    ) throws {
        let device = try PublicKey(encoded: devicePublicKey, field: "devicePublicKey")
        self.activationId = activationId
        self.counter = counter
        keys = DerivedKeys(masterSecret: try .derive(private: serverKey, public: device))
        fingerprint = Fingerprint.v3(device: device, activationId: activationId, server: serverKey.publicKey)
        peerPublicKey = device
    }
}

/// Eight digits by which a user compares both sides of an activation (protocol.md, section 6.4).
public enum Fingerprint {
    /// The fingerprint of a V3 activation, and of every activation that is not complete yet.
    public static func v3(device: PublicKey, activationId: String, server: PublicKey) -> String {
        digits(of: device.normalizedX + Data(activationId.utf8) + server.normalizedX)
    }

    /// The fingerprint of a V2 activation.
    public static func v2(device: PublicKey) -> String { digits(of: device.normalizedX) }

    private static func digits(of data: Data) -> String {
        // A hash always has the four bytes and eight is a valid length, so neither error can occur.
        (try? Decimalization.decimal(Digest.sha256(data), length: 8)) ?? ""
    }
}
