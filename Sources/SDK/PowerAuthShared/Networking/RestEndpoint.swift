/// One resource of the server's REST interface, with the rules for its requests (sdk.md, section 7.1).
package struct RestEndpoint: Sendable {
    /// How the body of a request is encrypted.
    package struct Encryption: Sendable {
        package let scope: PowerAuthCoreEciesEncryptorScope
        /// Purpose of the encryption, `sharedInfo1`.
        package let sharedInfo: String
    }

    /// Path behind the base URL.
    package let path: String
    package var encryption: Encryption?
    /// Identifier that enters the signature; nil for requests that are not signed.
    package var signatureUriId: String?
    /// The request has the serial queue for itself, so that signed requests arrive in the order of their counters.
    package var isSerialized: Bool
    /// The request may be made while an upgrade of the protocol is available or pending.
    package var isAllowedDuringUpgrade: Bool
    /// Time must be synchronised before; encrypted requests need that anyway.
    package var needsTime = false
    /// The request makes no sense without the activation it was made for, or makes one: its answer is for that one only.
    package var belongsToActivation: Bool

    /// A request without a signature.
    private init(
        path: String, encryption: Encryption? = nil, isSerialized: Bool = false, needsTime: Bool = false,
        belongsToActivation: Bool = true
    ) {
        self.path = path
        self.belongsToActivation = belongsToActivation
        self.encryption = encryption
        self.isSerialized = isSerialized
        self.needsTime = needsTime
        isAllowedDuringUpgrade = true
    }

    /// A signed request. Those the protocol defines all sign their path without the version.
    private init(
        path: String, signedAs uriId: String, encryption: Encryption? = nil, isAllowedDuringUpgrade: Bool = false
    ) {
        self.path = path
        signatureUriId = uriId
        self.encryption = encryption
        isSerialized = true
        belongsToActivation = true
        self.isAllowedDuringUpgrade = isAllowedDuringUpgrade
    }

    package static let createActivation = RestEndpoint(
        path: "/pa/v3/activation/create",
        encryption: Encryption(scope: .application, sharedInfo: "/pa/generic/application"))
    package static let activationStatus = RestEndpoint(path: "/pa/v3/activation/status", needsTime: true)
    package static let removeActivation = RestEndpoint(
        path: "/pa/v3/activation/remove", signedAs: "/pa/activation/remove")
    package static let startUpgrade = RestEndpoint(
        path: "/pa/v3/upgrade/start", encryption: Encryption(scope: .activation, sharedInfo: "/pa/upgrade"),
        isSerialized: true)
    package static let commitUpgrade = RestEndpoint(
        path: "/pa/v3/upgrade/commit", signedAs: "/pa/upgrade/commit", isAllowedDuringUpgrade: true)
    package static let validateSignature = RestEndpoint(
        path: "/pa/v3/signature/validate", signedAs: "/pa/signature/validate")
    package static let unlockVault = RestEndpoint(
        path: "/pa/v3/vault/unlock", signedAs: "/pa/vault/unlock",
        encryption: Encryption(scope: .activation, sharedInfo: "/pa/vault/unlock"))
    package static let createToken = RestEndpoint(
        path: "/pa/v3/token/create", signedAs: "/pa/token/create",
        encryption: Encryption(scope: .activation, sharedInfo: "/pa/token/create"))
    package static let removeToken = RestEndpoint(path: "/pa/v3/token/remove", signedAs: "/pa/token/remove")
    package static let confirmRecovery = RestEndpoint(
        path: "/pa/v3/recovery/confirm", signedAs: "/pa/recovery/confirm",
        encryption: Encryption(scope: .activation, sharedInfo: "/pa/recovery/confirm"))
    package static let userInfo = RestEndpoint(
        path: "/pa/v3/user/info", encryption: Encryption(scope: .activation, sharedInfo: "/pa/generic/activation"))
    package static let serverStatus = RestEndpoint(path: "/pa/v3/status", belongsToActivation: false)
    package static let createTemporaryKey = RestEndpoint(path: "/pa/v3/keystore/create", belongsToActivation: false)
    package static let createTemporaryKeyOfActivation = RestEndpoint(path: createTemporaryKey.path)

    /// Every resource that the SDK asks for.
    package static let all: [RestEndpoint] = [
        createActivation, activationStatus, removeActivation, startUpgrade, commitUpgrade, validateSignature,
        unlockVault, createToken, removeToken, confirmRecovery, userInfo, serverStatus, createTemporaryKey,
        createTemporaryKeyOfActivation,
    ]
}
