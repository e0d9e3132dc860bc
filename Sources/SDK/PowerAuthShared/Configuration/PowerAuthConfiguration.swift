public import Foundation
import PowerAuthProtocol

/// The settings of one activation of the application (sdk.md, section 5.1).
///
/// Thread rule: one thread at a time; an SDK object keeps a deep copy.
public final class PowerAuthConfiguration {
    /// Name of the activation on the device, unique in the application; also the keychain account of its
    /// state and the address of its watch packets. Not empty. Set it only in the style of 1.7.
    public var instanceId: String
    /// URL of the enrolment server, without a trailing path of an endpoint. Not empty. Set it only in the style of 1.7.
    public var baseEndpointUrl: String
    /// Base64 text with application key, application secret and master server public key.
    public internal(set) var configuration: String
    /// The parts of ``configuration`` while they are set one by one, in the style of 1.7.
    var separateKeys: SeparateKeys?
    /// Keychain account of the biometry key; ``instanceId`` when nil.
    public var keychainKey_Biometry: String!
    /// Key of 16 bytes that additionally protects the knowledge and biometry factors.
    public var externalEncryptionKey: Data?
    /// Keeps an activation of an older protocol as it is.
    public var disableAutomaticProtocolUpgrade = false
    /// Digits of each component of an offline signature, from 4 to 8.
    public var offlineSignatureComponentLength: UInt = 8
    /// Set it to share the activation with other applications of the vendor.
    public var sharingConfiguration: PowerAuthSharingConfiguration?

    /// - Parameters:
    ///   - instanceId: name of the activation on the device.
    ///   - baseEndpointUrl: URL of the enrolment server.
    ///   - configuration: the text that the server shows for the mobile application.
    public init(instanceId: String, baseEndpointUrl: String, configuration: String) {
        self.instanceId = instanceId
        self.baseEndpointUrl = baseEndpointUrl
        self.configuration = configuration
    }

    /// True when an SDK object would accept the values; see ``validateConfiguration()``.
    public func validate() -> Bool { validateConfiguration() }

    /// The Objective-C name of ``validate()``, kept for callers from 1.7.
    public func validateConfiguration() -> Bool {
        do {
            try check()
            return true
        } catch {
            return false
        }
    }

    /// A copy whose sharing configuration is a copy too.
    public func copy() -> PowerAuthConfiguration {
        let copy = PowerAuthConfiguration(
            instanceId: instanceId, baseEndpointUrl: baseEndpointUrl, configuration: configuration)
        copy.separateKeys = separateKeys
        copy.keychainKey_Biometry = keychainKey_Biometry
        copy.externalEncryptionKey = externalEncryptionKey
        copy.disableAutomaticProtocolUpgrade = disableAutomaticProtocolUpgrade
        copy.offlineSignatureComponentLength = offlineSignatureComponentLength
        copy.sharingConfiguration = sharingConfiguration?.copy()
        return copy
    }

    /// Checks every rule that does not need the device, and names the first one that is broken.
    ///
    /// - Parameter readsConfigurationString: false for the Extensions and watch SDKs, which do not use it.
    package func check(readsConfigurationString: Bool = true) throws(InvalidConfiguration) {
        if instanceId.isEmpty { throw .instanceIdEmpty }
        if baseEndpointUrl.isEmpty { throw .baseEndpointUrlEmpty }
        if !(4...8).contains(offlineSignatureComponentLength) {
            throw .offlineSignatureComponentLength(actual: Int(clamping: offlineSignatureComponentLength))
        }
        if let key = externalEncryptionKey, !key.isEmpty, key.count != 16 {
            throw .externalEncryptionKeyLength(actual: key.count)
        }
        try sharingConfiguration?.check()
        if readsConfigurationString {
            do {
                _ = try MobileSdkConfiguration(configuration)
            } catch {
                throw .configurationString(reason: String(describing: error))
            }
        }
    }
}
