// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Foundation
import LabSystem
import Synchronization

/// Decides which peers may connect to the encrypted sockets of this process: only those whose public key was admitted.
/// Without it an encrypted socket would accept every peer (ZAP, RFC 27; watch.md, section 11.8).
///
/// Thread rule: any thread. A thread of its own answers the library, for as long as the process lives.
public final class CurveGate: Sendable {
    private static let endpoint = "inproc://zeromq.zap.01"
    private static let version = Data("1.0".utf8)

    /// The gate of the shared context; the library asks one for each context.
    public static let shared = Result { try CurveGate(.shared) }

    private let admitted = Mutex<[String: Set<[UInt8]>]>([:])
    /// Why the gate no longer answers.
    let end = OneShot<any Error>()

    init(_ context: ZeroMQContext) throws {
        let bound = OneShot<Result<Void, any Error>>()
        runOnThread(name: "curve gate") { [self] in
            do {
                let socket = try ZeroMQSocket(context, .reply)
                try socket.bind(Self.endpoint)
                bound.set(.success(()))
                while true { try answer(socket) }
            } catch {
                end.set(error)
                bound.set(.failure(error))
            }
        }
        try bound.wait().get()
    }

    /// Lets holders of the key connect to the sockets of a domain, instead of the previously admitted keys.
    /// - Throws: The ``ZeroMQError`` that has ended the gate: without its answers no encrypted connection is made.
    public func admit(_ key: CurvePublicKey, to domain: String) throws {
        if let error = end.wait(timeoutNanoseconds: 0) { throw error }
        admitted.withLock { $0[domain] = key.bytes.map { [$0] } ?? [] }
    }

    private func answer(_ socket: ZeroMQSocket) throws {
        _ = try ZeroMQPoll.poll(sockets: [socket], descriptors: [], timeoutMilliseconds: -1)
        // Version, number of the request, domain, address, identity, mechanism, and the key of a CURVE client.
        while let parts = try socket.receive() {
            let number = parts.count > 1 ? parts[1] : Data()
            let (status, text) = isAdmitted(parts) ? ("200", "OK") : ("400", "this key was not admitted")
            _ = try socket.send([Self.version, number, Data(status.utf8), Data(text.utf8), Data(), Data()], wait: true)
        }
    }

    private func isAdmitted(_ parts: [Data]) -> Bool {
        guard parts.count == 7, parts[0] == Self.version, parts[5] == Data("CURVE".utf8) else { return false }
        let domain = String(decoding: parts[2], as: UTF8.self)
        return admitted.withLock { $0[domain]?.contains([UInt8](parts[6])) == true }
    }
}

/// The long-term keys of one side of an encrypted connection (watch.md, section 11.8).
public struct CurveKeyPair: Codable, Equatable, Sendable {
    /// By which others know this side.
    public let publicKey: CurvePublicKey
    /// Proves the identity of this side.
    public let secretKey: CurveSecretKey

    /// Makes a new pair.
    /// - Throws: ``ZeroMQError`` when the library was built without encryption.
    public init() throws {
        // Z85: 40 characters and a zero for 32 bytes.
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZeroMQError.last("zmq_curve_keypair") }
        publicKey = CurvePublicKey(text: Self.text(publicText))
        secretKey = CurveSecretKey(text: Self.text(secretText))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix(40).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A public key, 32 bytes as 40 characters of Z85.
public struct CurvePublicKey: Codable, Hashable, Sendable {
    let text: String

    /// The 32 bytes; nil when the text is not of that form.
    var bytes: [UInt8]? {
        guard text.utf8.count == 40 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        return zmq_z85_decode(&bytes, text) == nil ? nil : bytes
    }
}

/// A secret key, 32 bytes as 40 characters of Z85. Its description does not show it.
public struct CurveSecretKey: Codable, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    let text: String

    public var description: String { "a secret key" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
