// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import PowerAuthProtocol

/// Constants of an application a session works with (protocol.md, section 5).
///
/// A plain holder; the session copies it at creation. Thread rule: one thread at a time.
public final class PowerAuthCoreSessionSetup {
    /// The configuration string the setup was made from.
    public let configuration: String
    /// Base64 of the application key (16 bytes).
    public let applicationKey: String
    /// Optional key that additionally protects the knowledge and biometry factor keys, exactly 16 bytes.
    public var externalEncryptionKey: Data?
    /// Number by which an application distinguishes its sessions; the session returns it and uses it for nothing.
    public var sessionIdentifier: UInt32 = 0
    /// The suites of protocol 4 whose activations the session can have: first the one of its new activations and of the
    /// application's temporary keys. Without any the session speaks protocol 3 alone, and refuses a state of protocol 4. The
    /// configuration must have the master keys of the first one, or the setup cannot be used (protocol-4.md, section 5).
    package var suites: [CryptographySuite] = []

    let parsed: MobileSdkConfiguration

    /// Parses a configuration string.
    /// - Parameter configuration: Base64 string created by the server.
    /// - Returns: `nil` if the string is not a configuration.
    public init?(configuration: String) {
        guard let parsed = try? MobileSdkConfiguration(configuration) else { return nil }
        self.parsed = parsed
        self.configuration = configuration
        applicationKey = parsed.applicationKeyText
    }

    /// Whether `configuration` can be parsed. The public key is not checked to be a point of the curve.
    public static func validateConfiguration(_ configuration: String) -> Bool {
        (try? MobileSdkConfiguration(configuration)) != nil
    }

    /// Builds the configuration string from the three values older SDK versions take.
    /// - Parameters:
    ///   - appKey: Base64 of the application key (16 bytes).
    ///   - appSecret: Base64 of the application secret (16 bytes).
    ///   - publicKey: Base64 of the master server public key (33 or 65 bytes).
    /// - Returns: `nil` if a value is not Base64 or has a wrong size.
    public static func buildConfiguration(appKey: String, appSecret: String, publicKey: String) -> String? {
        try? MobileSdkConfiguration(
            applicationKeyText: appKey, applicationSecretText: appSecret, masterServerPublicKeyText: publicKey
        ).string
    }
}

/// Watches how a session is used. The session asks it before a call, so that an owner that guards the session with a
/// lock of its own can report calls made outside of that lock.
///
/// Calls arrive on the thread that uses the session, before the session takes its own lock.
public protocol PowerAuthCoreDebugMonitor: AnyObject, Sendable {
    /// The session is about to be read.
    func requireReadAccess()
    /// The session is about to be changed.
    func requireWriteAccess()
}

/// Why a call of the core was refused.
///
/// The vendor's calls report most failures as `nil` or `false` and write the code to the core log; the calls for the
/// external encryption key return it. See protocol.md, section 16.
public enum PowerAuthCoreErrorCode: Int, Error, Sendable {
    /// The call succeeded.
    case ok = 0
    /// Cryptography failed: a key, a signature, a MAC or encrypted data is unusable.
    case encryption = 1
    /// The session is not in a state that allows the call.
    case wrongState = 2
    /// A parameter is missing or has a wrong format or size.
    case wrongParam = 3
}

/// Generation of the protocol an activation works with.
public enum PowerAuthCoreProtocolVersion: Int, Sendable {
    /// No version is known.
    case NA = 0
    /// Numeric signature counter, decimal signatures.
    case V2 = 2
    /// Hash-based signature counter.
    case V3 = 3
}

/// What the server sends for an upgrade of an activation to a newer protocol (sdk.md, section 6.3).
public protocol PowerAuthCoreProtocolUpgradeData {
    /// Version that the data upgrade to.
    var toVersion: PowerAuthCoreProtocolVersion { get }
}

/// Data of the upgrade to the protocol 3. Immutable. Thread rule: any thread.
public final class PowerAuthCoreProtocolUpgradeDataV3: PowerAuthCoreProtocolUpgradeData, Sendable {
    /// Base64 of the first counter (16 bytes).
    public let ctrData: String

    /// - Parameter ctrData: Base64 of the first counter (16 bytes).
    public init(ctrData: String) { self.ctrData = ctrData }

    /// Always ``PowerAuthCoreProtocolVersion/V3``.
    public var toVersion: PowerAuthCoreProtocolVersion { .V3 }
}

extension PowerAuthCoreSession {
    /// Takes the server's data into the session whose upgrade was started.
    /// - Returns: false when no upgrade to the data's version was started, or the data cannot be used.
    @discardableResult
    public func applyProtocolUpgradeData(_ data: any PowerAuthCoreProtocolUpgradeData) -> Bool {
        guard let data = data as? PowerAuthCoreProtocolUpgradeDataV3 else { return false }
        return applyProtocolUpgradeData(data.ctrData)
    }
}
