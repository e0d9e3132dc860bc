// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// `activationStatus` of protocol 4: 48 bytes, and a code of 32 (protocol-4.md, section 10).
public struct AuthenticatedStatus: Sendable, Equatable {
    /// Bytes of data and code.
    public static let size = 80

    /// What a client should know besides the state.
    public struct Flags: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Takes the bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The activation was committed, and the device has not confirmed it.
        public static let confirmationPending = Self(rawValue: 1)
        /// An upgrade was started, and the device has not confirmed it.
        public static let upgradeConfirmationPending = Self(rawValue: 2)
        /// The application no longer supports the algorithm of the activation.
        public static let algorithmUnsupported = Self(rawValue: 4)
        /// There is a biometry factor.
        public static let biometryEnabled = Self(rawValue: 8)
    }

    /// State of the activation.
    public var state: ActivationState
    /// Version of the activation, 3 or 4.
    public var currentVersion: UInt8
    /// Highest activation version the server can upgrade to.
    public var upgradeVersion: UInt8
    /// What a client should know besides.
    public var flags: Flags
    /// Low byte of the server's numeric counter.
    public var counterByte: UInt8
    /// Failed attempts so far.
    public var failedAttempts: UInt8
    /// Failed attempts that block the activation.
    public var maxFailedAttempts: UInt8
    /// Width of the server's window, 1 to 64.
    public var lookAhead: UInt8
    /// Hash of the server's counter data, 32 bytes; see ``counterHash(_:key:)``.
    public var counterHash: Data

    /// Takes the values.
    public init(
        state: ActivationState, currentVersion: UInt8 = 4, upgradeVersion: UInt8 = 4, flags: Flags = [],
        counterByte: UInt8, failedAttempts: UInt8, maxFailedAttempts: UInt8, lookAhead: UInt8, counterHash: Data
    ) {
        self.state = state
        self.currentVersion = currentVersion
        self.upgradeVersion = upgradeVersion
        self.flags = flags
        self.counterByte = counterByte
        self.failedAttempts = failedAttempts
        self.maxFailedAttempts = maxFailedAttempts
        self.lookAhead = lookAhead
        self.counterHash = counterHash
    }

    /// `CTR_DATA_HASH`, 32 bytes.
    public static func counterHash(_ counter: HashBasedCounter, key: Key256<KeyPurpose.CounterCode>) -> Data {
        KMAC256.code(key, .counter, counter.rawData)
    }

    /// Writes data and code, as the server does.
    /// - Throws: ``ProtocolError`` for a look-ahead outside 1…64 or a hash that is not 32 bytes.
    public func encoded(key: Key256<KeyPurpose.StatusCode>) throws -> Data {
        try Self.require(lookAhead: lookAhead)
        guard counterHash.count == 32 else {
            throw ProtocolError.invalidLength(field: "ctrDataHash", expected: "32 bytes", actual: counterHash.count)
        }
        let data =
            Data(Self.magic + [state.rawValue, currentVersion, upgradeVersion, flags.rawValue])
            + Data(count: 4) + Data([counterByte, failedAttempts, maxFailedAttempts, lookAhead]) + counterHash
        return data + KMAC256.code(key, .status, data)
    }

    /// Compares the code in constant time and only then reads.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``, ``ProtocolError/macMismatch``, or
    ///   ``ProtocolError/invalidFormat(field:reason:)`` for a wrong magic, state or look-ahead.
    public init(_ encoded: Data, key: Key256<KeyPurpose.StatusCode>) throws {
        guard encoded.count == Self.size else {
            throw ProtocolError.invalidLength(
                field: "activationStatus", expected: "\(Self.size) bytes", actual: encoded.count)
        }
        let data = Data(Array(encoded.dropLast(32)))
        guard constantTimeEquals(KMAC256.code(key, .status, data), Data(Array(encoded.suffix(32)))) else {
            throw ProtocolError.macMismatch
        }
        guard data.starts(with: Self.magic) else {
            throw ProtocolError.invalidFormat(field: "activationStatus", reason: "wrong magic")
        }
        guard let state = ActivationState(rawValue: data[4]) else {
            throw ProtocolError.invalidFormat(field: "activationStatus", reason: "unknown state \(data[4])")
        }
        try Self.require(lookAhead: data[15])
        self.init(
            state: state, currentVersion: data[5], upgradeVersion: data[6], flags: Flags(rawValue: data[7]),
            counterByte: data[12], failedAttempts: data[13], maxFailedAttempts: data[14], lookAhead: data[15],
            counterHash: Data(Array(data[16...])))
    }

    private static func require(lookAhead: UInt8) throws {
        guard StatusBlob.lookAheads.contains(lookAhead) else {
            throw ProtocolError.invalidFormat(field: "activationStatus", reason: "look-ahead \(lookAhead) is not 1…64")
        }
    }

    private static let magic: [UInt8] = [0xDE, 0xC0, 0xDE, 0xD4]
}

extension AuthenticatedStatus {
    /// What a client does about its counter, as ``CounterSynchronization/Outcome`` of version 3.
    public enum Outcome: Sendable, Equatable {
        /// Nothing to do; the server catches up by itself if it is behind.
        case ok
        /// Store this counter and byte.
        case updated(counter: HashBasedCounter, byte: UInt8)
        /// Close to the edge of the window: send a code so that the server moves.
        case calculateCode
        /// The counters can never meet again.
        case deadlock
    }

    /// Decides about the client's counter after it saw the server's (protocol.md, section 12.3).
    /// - Parameters:
    ///   - counter: local counter data.
    ///   - byte: local counter byte, nil when it is not known.
    ///   - key: `KEY_MAC_CTR_DATA`.
    public func synchronization(
        counter: HashBasedCounter, byte: UInt8?, key: Key256<KeyPurpose.CounterCode>,
        rules: CounterSynchronization.Rules = .improved
    ) -> Outcome {
        var match: (distance: Int, counter: HashBasedCounter)?
        var current = counter
        for distance in 0..<Int(lookAhead) where match == nil {
            if constantTimeEquals(Self.counterHash(current, key: key), counterHash) { match = (distance, current) }
            current = current.next()
        }
        let step = CounterSynchronization.step(
            matchDistance: match?.distance, localByte: byte, serverByte: counterByte, lookAhead: Int(lookAhead),
            rules: rules)
        switch (step, match) {
        case (.adopt, .some(let match)): return .updated(counter: match.counter, byte: counterByte)
        case (.catchUp, _): return .calculateCode
        case (.deadlock, _): return .deadlock
        default: return .ok
        }
    }
}
