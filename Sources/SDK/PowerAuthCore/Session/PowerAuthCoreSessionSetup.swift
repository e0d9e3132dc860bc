public import Foundation
import PowerAuthProtocol

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
