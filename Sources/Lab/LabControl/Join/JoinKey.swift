// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import LabSystem
import ZeroMQ

/// What a guest needs to prove itself to an owner, and to know the owner: a file that is carried from host to host. Any
/// process that has it can be the guest; it is valid as long as the owner's lab lives.
public struct JoinKey: Codable, Sendable {
    private var version = 1
    /// By which the guest knows the owner.
    let owner: CurvePublicKey
    /// By which the owner knows the guest.
    let guest: CurveKeyPair

    /// Makes new keys: the key for the guest, and the secret that the owner keeps.
    static func make() throws -> (key: JoinKey, secret: CurveSecretKey) {
        let own = try CurveKeyPair()
        return (JoinKey(owner: own.publicKey, guest: try CurveKeyPair()), own.secretKey)
    }

    private init(owner: CurvePublicKey, guest: CurveKeyPair) {
        self.owner = owner
        self.guest = guest
    }

    /// Writes the key file, which only its owner can read (mode 0600), and which ends with the owner's instance.
    /// - Parameter path: Absolute path of the file.
    public func write(to path: String, of layout: InstanceLayout) throws {
        try OutsideFiles.write(JSONValue(encoding: self).encoded() + Data("\n".utf8), to: path, of: layout)
    }

    /// Reads a key file.
    /// - Throws: ``JoinError``.
    public static func read(_ path: String) throws -> JoinKey {
        let data: Data
        let mode: UInt32
        do {
            let file = try FileDescriptor.open(path)
            mode = try file.permissions()
            data = try file.readToEnd()
        } catch {
            throw JoinError.noKey(path: path, reason: "\(error)")
        }
        // A copy by a tool that does not keep the mode; the other users of this host could join with it.
        guard mode & 0o077 == 0 else { throw JoinError.exposedKey(path: path, mode: mode) }
        guard let key = try? JSONValue.parse(data).decode(JoinKey.self), key.version == 1 else {
            throw JoinError.noKey(path: path, reason: "it was not written by `lab up --listen` of this version")
        }
        return key
    }
}

/// Why two labs cannot be joined.
public enum JoinError: Error, CustomStringConvertible, LocalizedError, Sendable {
    /// The key file cannot be used.
    case noKey(path: String, reason: String)
    /// Other users can read the key.
    case exposedKey(path: String, mode: UInt32)
    /// The owner does not know the key.
    case refusedKey(address: String)
    /// No reply.
    case noAnswer(address: String, within: LabDuration)
    /// The owner refused.
    case refused(String)

    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .noKey(let path, let reason):
            "'\(path)' is not a key for joining a lab: \(reason); copy the file that `lab up --listen` has named"
        case .exposedKey(let path, let mode):
            """
            the key '\(path)' can be read by other users (mode 0\(String(mode, radix: 8))), expected 0600; run \
            `chmod 600 \(path)`, or copy it again with `cp -p` or `scp -p`
            """
        case .refusedKey(let address):
            """
            the lab at \(address) does not know this key; each start of `lab up --listen` makes a new one, copy it again
            """
        case .noAnswer(let address, let patience):
            """
            no reply from \(address) within \(patience); start `lab up --listen` there first, and check that its port \
            can be reached from here
            """
        case .refused(let reason): reason
        }
    }
}

/// Where an owner listens: `tcp://host:port`, or without `tcp://`.
public struct JoinAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or the name of an interface to listen at.
    public var host: String
    /// 0 to listen at a free one.
    public var port: Int

    /// An address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads an address; nil if the text is not an address.
    public init?(_ text: String) {
        let rest = text.hasPrefix("tcp://") ? text.dropFirst(6) : text[...]
        guard let colon = rest.lastIndex(of: ":"), colon != rest.startIndex,
            let port = Int(rest[rest.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        host = String(rest[..<colon])
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x3A }) else { return nil }
        self.port = port
    }

    /// The address for ZeroMQ; a port that the system shall choose is `*`.
    public var description: String { "tcp://\(host):\(port == 0 ? "*" : "\(port)")" }

    /// The address of the n-th port after this one.
    public func next(_ count: Int) -> JoinAddress { JoinAddress(host: host, port: port == 0 ? 0 : port + count) }
}
