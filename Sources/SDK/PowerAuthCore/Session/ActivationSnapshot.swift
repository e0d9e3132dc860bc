// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Which activation a session has, and of which state it is, as digests: no key can be recovered from it.
///
/// Two moments are compared with it, that of a request and that of its answer (sharing.md, D30).
package struct ActivationSnapshot: Equatable, Sendable {
    /// A part of an activation's state that can change while the activation stays.
    package enum Part: Sendable {
        /// The password, regardless of other protection of its factor.
        case password
        /// The knowledge factor: the password and the external encryption key around it.
        case knowledge
        /// The version of the protocol, and an upgrade of it.
        case protocolVersion
        /// The signature counter.
        case counter
    }

    /// The change of an activation since a snapshot.
    package enum Change: Error, Equatable, Sendable {
        /// The activation was removed.
        case removed
        /// There is another one.
        case replaced
        /// It is there, and the part is not as it was.
        case part(Part)
    }

    /// Of the keys that were exchanged for the activation, pending or persisted; nil without an activation.
    private let activation: Data?
    /// Of an activation that is not pending: an upgrade to protocol 4 replaces all keys, and leaves this.
    private let identifier: String?
    private let password: Data
    private let knowledge: Data
    private let counter: Data
    private let version: PowerAuthCoreProtocolVersion
    private let pendingVersion: PowerAuthCoreProtocolVersion
    /// Of the keys of a pending upgrade to protocol 4.
    private let upgrade: Data?

    fileprivate init(_ machine: SessionMachine) {
        version = machine.protocolVersion
        pendingVersion = machine.pendingUpgradeVersion
        switch machine.state {
        case .invalid, .empty: activation = nil
        case .waitingForResponse(let deviceKey): activation = Self.digest(deviceKey.publicKey.compressed)
        case .waitingForCompletion(let pending): activation = Self.digest(pending.deviceKey.publicKey.compressed)
        case .activated(let record):
            // Very old activations have no public key of the device; the identifier distinguishes them.
            activation = Self.digest(record.devicePublicKey, record.serverPublicKey, Data(record.activationId.utf8))
        case .version4(.waitingForResponse(let exchange)): activation = Self.digest(exchange.deviceKey)
        case .version4(.waitingForCompletion(let exchanged)): activation = Self.digest(exchanged.deviceKey)
        case .version4(.waitingForConfirmation(let record, _)): activation = Self.digest(record.devicePublicKeys.ecdsa)
        case .version4(.activated(let record)):
            activation = Self.digest(
                record.devicePublicKeys.ecdsa, record.serverPublicKeys.ecdsa, Data(record.activationId.utf8))
        }
        switch machine.state {
        case .activated(let record):
            let iterations = withUnsafeBytes(of: record.passwordIterations.littleEndian) { Data($0) }
            identifier = record.activationId
            password = Self.digest(record.passwordSalt, iterations)
            knowledge = Self.digest(record.passwordSalt, iterations, record.knowledgeKey)
            counter = Self.digest(record.counterData.rawData)
            upgrade = record.upgrade.map { Self.digest($0.devicePublicKeys.ecdsa, $0.serverPublicKeys.ecdsa) }
        case .version4(.activated(let record)):
            identifier = record.activationId
            password = Self.digest(record.passwordSalt)
            knowledge = Self.digest(record.passwordSalt, record.knowledgeKey)
            counter = Self.digest(record.counter.rawData)
            upgrade = nil
        case .version4(.waitingForConfirmation(let record, _)):
            // The keys can be locked again. No upgrade leads to a pending activation, so the identifier says nothing.
            (identifier, upgrade) = (nil, nil)
            password = Self.digest(record.passwordSalt)
            knowledge = Self.digest(record.passwordSalt, record.knowledgeKey)
            counter = Data()
        default:
            (identifier, upgrade) = (nil, nil)
            (password, knowledge, counter) = (Data(), Data(), Data())
        }
    }

    private static func digest(_ parts: Data...) -> Data { Digest.sha256(parts.reduce(Data(), +)) }

    /// The change of the activation until a later snapshot; nil if activation and parts are unchanged.
    /// - Parameters:
    ///   - now: the later moment.
    ///   - parts: what is compared besides the activation itself.
    package func change(until now: ActivationSnapshot, of parts: [Part] = []) -> Change? {
        guard now.activation == activation || isUpgraded(in: now) else {
            return now.activation == nil ? .removed : .replaced
        }
        return parts.first { !isEqual(to: now, in: $0) }.map { .part($0) }
    }

    /// Whether the activation was one of protocol 3, and is one of protocol 4 at the later moment.
    private func isUpgraded(in now: ActivationSnapshot) -> Bool {
        identifier != nil && identifier == now.identifier && version == .V3 && now.version == .NA
    }

    private func isEqual(to other: ActivationSnapshot, in part: Part) -> Bool {
        switch part {
        case .password: other.password == password
        case .knowledge: other.knowledge == knowledge
        case .protocolVersion:
            (other.version, other.pendingVersion, other.upgrade) == (version, pendingVersion, upgrade)
        case .counter: other.counter == counter
        }
    }
}

extension SessionMachine {
    fileprivate var activationSnapshot: ActivationSnapshot { ActivationSnapshot(self) }
}

extension PowerAuthCoreSession {
    /// Which activation the session has now, and of which state it is.
    package var activationSnapshot: ActivationSnapshot { inspect { $0.activationSnapshot } }
}

/// Which biometry factor a session has.
///
/// Every factor is locked with a key of its own, so its locked form identifies the factor. The key itself cannot be
/// recognised: a wrong one unlocks a wrong factor without an error (protocol.md, section 14).
package enum BiometryFactorIdentity: Hashable, Sendable {
    /// There is no activation, or it has no biometry factor.
    case none
    /// A name of the factor: 32 hexadecimal digits, which change when the factor is replaced, and with nothing else. They
    /// betray neither the factor nor its key.
    case named(String)
    /// There is a factor, but this process lacks the external encryption key around it and cannot sign with it.
    case hidden
}

extension SessionMachine {
    func biometryFactorIdentity() -> BiometryFactorIdentity {
        if case .version4(.activated(let record)) = state {
            guard let locked = record.biometryKey else { return .none }
            return .named(Self.name(of: locked))
        }
        guard let record = try? activated(), let locked = record.biometryKey else { return .none }
        guard record.usesExternalEncryptionKey else { return .named(Self.name(of: locked)) }
        guard let key = externalEncryptionKey, let inner = try? FactorKeyProtection.unwrap(locked, externalKey: key)
        else { return .hidden }
        return .named(Self.name(of: inner))
    }

    private static func name(of locked: Data) -> String {
        Digest.sha256(locked).prefix(16).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension PowerAuthCoreSession {
    /// Which biometry factor the activation has. The same before and after an external encryption key is added or removed.
    package var biometryFactorIdentity: BiometryFactorIdentity {
        (try? read { machine in machine.biometryFactorIdentity() }) ?? .none
    }
}
