// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The 32 bytes that tell a client the state of its activation (protocol.md, section 12.2).
public struct StatusBlob: Sendable, Equatable {
    /// Size in bytes, plain and encrypted.
    public static let size = 32

    /// State of the activation.
    public var state: ActivationState
    /// Version of the activation (2 or 3), not of the protocol string.
    public var currentVersion: UInt8
    /// Highest activation version the server can upgrade to.
    public var upgradeVersion: UInt8
    /// Failed attempts so far.
    public var failedAttempts: UInt8
    /// Failed attempts that block the activation.
    public var maxFailedAttempts: UInt8
    /// The server's counter; nil in the form of protocol 3.0, which has random bytes in its place.
    public var counter: Counter?

    /// The part about the server's counter (3.1 and later).
    public struct Counter: Sendable, Equatable {
        /// Low byte of the server's numeric counter.
        public var byte: UInt8
        /// Width of the server's window, 1 to 64.
        public var lookAhead: UInt8
        /// Hash of the server's counter data, 16 bytes; see ``StatusBlob/counterDataHash(transportKey:counter:)``.
        public var dataHash: Data

        /// Takes the values.
        public init(byte: UInt8, lookAhead: UInt8, dataHash: Data) {
            self.byte = byte
            self.lookAhead = lookAhead
            self.dataHash = dataHash
        }
    }

    /// Takes the values.
    public init(
        state: ActivationState, currentVersion: UInt8 = 3, upgradeVersion: UInt8 = 3, failedAttempts: UInt8,
        maxFailedAttempts: UInt8, counter: Counter?
    ) {
        self.state = state
        self.currentVersion = currentVersion
        self.upgradeVersion = upgradeVersion
        self.failedAttempts = failedAttempts
        self.maxFailedAttempts = maxFailedAttempts
        self.counter = counter
    }

    /// Attempts left before the activation is blocked; 0 unless it is active.
    public var remainingAttempts: Int { state == .active ? max(0, Int(maxFailedAttempts) - Int(failedAttempts)) : 0 }

    /// Reads 32 plain bytes.
    /// - Parameter hasCounter: false for the form of protocol 3.0.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``, or
    ///   ``ProtocolError/invalidFormat(field:reason:)`` for a wrong magic, state or look-ahead; a blob
    ///   encrypted with another key looks like that.
    public init(decoding data: Data, hasCounter: Bool = true) throws {
        let bytes = [UInt8](data)
        guard bytes.count == Self.size else {
            throw ProtocolError.invalidLength(field: "status blob", expected: "32 bytes", actual: bytes.count)
        }
        guard bytes[0..<3].elementsEqual(Self.magic[0..<3]), bytes[3] >> 4 == 0xD, bytes[3] & 0x0F >= 1 else {
            throw ProtocolError.invalidFormat(field: "status blob", reason: "wrong magic, most likely another key")
        }
        guard let state = ActivationState(rawValue: bytes[4]) else {
            throw ProtocolError.invalidFormat(field: "status blob", reason: "unknown state \(bytes[4])")
        }
        var counter: Counter?
        if hasCounter {
            guard Self.lookAheads.contains(bytes[15]) else {
                throw ProtocolError.invalidFormat(field: "status blob", reason: "look-ahead \(bytes[15]) is not 1…64")
            }
            counter = Counter(byte: bytes[12], lookAhead: bytes[15], dataHash: Data(bytes[16...]))
        }
        self.init(
            state: state, currentVersion: bytes[5], upgradeVersion: bytes[6], failedAttempts: bytes[13],
            maxFailedAttempts: bytes[14], counter: counter)
    }

    /// Writes 32 plain bytes; what the form leaves open is random.
    /// - Throws: ``ProtocolError`` for a look-ahead outside 1…64 or a hash that is not 16 bytes.
    public func encoded() throws -> Data { try encoded(random: Random.bytes(Self.size)) }

    /// The same with given filling; its byte at an offset fills that offset.
    package func encoded(random: Data) throws -> Data {
        var bytes = [UInt8](random)
        guard bytes.count == Self.size else {
            throw ProtocolError.invalidLength(field: "filling", expected: "32 bytes", actual: bytes.count)
        }
        bytes.replaceSubrange(0..<7, with: Self.magic + [state.rawValue, currentVersion, upgradeVersion])
        bytes[13] = failedAttempts
        bytes[14] = maxFailedAttempts
        if let counter {
            guard Self.lookAheads.contains(counter.lookAhead) else {
                throw ProtocolError.invalidFormat(field: "lookAhead", reason: "\(counter.lookAhead) is not 1…64")
            }
            guard counter.dataHash.count == 16 else {
                throw ProtocolError.invalidLength(
                    field: "ctrDataHash", expected: "16 bytes", actual: counter.dataHash.count)
            }
            bytes[12] = counter.byte
            bytes[15] = counter.lookAhead
            bytes.replaceSubrange(16..<32, with: counter.dataHash)
        }
        return Data(bytes)
    }

    private static let magic: [UInt8] = [0xDE, 0xC0, 0xDE, 0xD1]
    /// Widths of the server's window, of protocol 4, too.
    static let lookAheads: ClosedRange<UInt8> = 1...64
}

extension StatusBlob {
    /// Challenge and nonce of one status exchange, 16 bytes each; protocol 3.0 has neither.
    public struct Exchange: Sendable, Equatable {
        /// Chosen by the client.
        public let challenge: Data
        /// Chosen by the server.
        public let nonce: Data

        /// Takes both values.
        /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for other sizes than 16 bytes.
        public init(challenge: Data, nonce: Data) throws {
            for (field, value) in [("challenge", challenge), ("nonce", nonce)] where value.count != 16 {
                throw ProtocolError.invalidLength(field: field, expected: "16 bytes", actual: value.count)
            }
            self.challenge = challenge
            self.nonce = nonce
        }

        /// The initialisation vector, 16 bytes.
        public func vector(transportKey: TransportKey) -> Data {
            let key = KDF.derive(transportKey, index: 3000, as: KeyPurpose.TransportIV.self)
            // 32 bytes of derivation data are always enough, so the length error cannot occur.
            return (try? KDF.internalDeriveBytes(key, data: challenge + nonce)) ?? AESCBC.zeroIV
        }
    }

    /// `ctrDataHash`: what the blob contains of the server's counter data, 16 bytes.
    public static func counterDataHash(transportKey: TransportKey, counter: CounterData) -> Data {
        let key = KDF.derive(transportKey, index: 4000, as: KeyPurpose.TransportCounter.self)
        return counterDataHash(key: key, counter: counter)
    }

    static func counterDataHash(key: SymmetricKey<KeyPurpose.TransportCounter>, counter: CounterData) -> Data {
        // Counter data always has the 16 bytes the derivation requires, so the length error cannot occur.
        (try? KDF.internalDeriveBytes(key, data: counter.rawData)) ?? Data()
    }

    /// Encrypts the blob, as the server does.
    /// - Parameter exchange: nil for protocol 3.0.
    /// - Throws: as ``encoded()``.
    public func encrypted(transportKey: TransportKey, exchange: Exchange?) throws -> Data {
        try AESCBC.encrypt(
            encoded(), key: transportKey, iv: exchange?.vector(transportKey: transportKey) ?? AESCBC.zeroIV,
            padding: .none)
    }

    /// Decrypts a blob, as the client does. There is no authentication code: a wrong key shows as a wrong
    /// magic, state or range only.
    /// - Parameter exchange: nil for protocol 3.0, whose blob carries no counter.
    /// - Throws: as ``init(decoding:hasCounter:)``.
    public init(decrypting data: Data, transportKey: TransportKey, exchange: Exchange?) throws {
        guard data.count == Self.size else {
            throw ProtocolError.invalidLength(field: "encryptedStatusBlob", expected: "32 bytes", actual: data.count)
        }
        let iv = exchange?.vector(transportKey: transportKey) ?? AESCBC.zeroIV
        try self.init(
            decoding: AESCBC.decrypt(data, key: transportKey, iv: iv, padding: .none), hasCounter: exchange != nil)
    }
}

/// The state of an activation as the status blob carries it (protocol.md, section 12.2).
public enum ActivationState: UInt8, Sendable, CaseIterable {
    /// A code exists, no device yet.
    case created = 1
    /// Keys were exchanged, the commit is missing.
    case pendingCommit = 2
    /// In use.
    case active = 3
    /// Refuses signatures until it is unblocked.
    case blocked = 4
    /// Removed; it never has another state again.
    case removed = 5
}
