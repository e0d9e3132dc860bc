// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabTesting
import LabVocabulary

/// Two apps of one vendor on a phone that share an activation, and its expected state.
///
/// Thread rule: one thread at a time. Calls block.
final class SharingApps {
    static let instanceId = "com.example.bank"
    /// The token that every activation gets.
    static let token = "T"
    /// The token that is requested and removed.
    static let otherToken = "N"

    let lab: Lab
    /// The app that dies.
    var main: LabActor { lab.main }
    /// The surviving app, which is the first to detect the death.
    var wallet: LabActor { lab.wallet }

    /// The passwords that may be valid: two after a death during a change.
    var passwords: [Secret] = ["1234"]
    var password: Secret { passwords[0] }
    private var code: InitActivation.Result?
    /// The last seen counters; nil if the memory will be recreated.
    var counters: SharedMemoryOfApp.Result?
    /// Server tokens of the activation that no app has: from a death between the server's answer and the device.
    var orphans: (activationId: String, count: Int) = ("", 0)

    /// Whether new activations are those of protocol 4.
    let makesVersion4: Bool
    /// Whether the server offers protocol 4 to activations of protocol 3.
    private var offersUpgrade = false

    /// - Parameters:
    ///   - lab: an instance with ``cast(quirks:sdk:)``.
    ///   - sdk: the SDK of both apps.
    init(_ lab: Lab, sdk: PowerAuthSpec.SDK) throws {
        self.lab = lab
        makesVersion4 = sdk == .full2
        try lab.phone.call(EnrolBiometry())
    }

    /// The apps on a phone with a finger: the next dialog would have to wait for the animation of a face.
    ///
    /// - Parameters:
    ///   - quirks: Defects of the original that both apps have.
    ///   - sdk: The SDK of both apps.
    static func cast(quirks: [String] = [], sdk: PowerAuthSpec.SDK = .full) -> Lab.Cast {
        let (group, keychainGroup) = ("group.com.example.lab", "LABTEAM001.com.example.shared")
        let apps = ["main", "wallet"].map { name in
            AppSpec(
                name: name, kind: .app, bundleIdentifier: "com.example.\(name)", appGroups: [group],
                keychainAccessGroups: [keychainGroup], quirks: quirks,
                powerAuth: PowerAuthSpec(
                    sdk: sdk, algorithm: sdk == .full2 ? .ecP384 : nil, instanceId: instanceId,
                    sharing: SharingSpec(
                        appGroup: group, appIdentifier: "com.example.\(name)", keychainAccessGroup: keychainGroup)))
        }
        return .topology(
            Topology(
                name: "killMatrix",
                devices: [DeviceSpec(name: "phone", kind: .phone, biometry: .touchID, apps: apps)]))
    }

    // MARK: Activations

    func makeCode() throws {
        code = try lab.server.call(InitActivation())
    }

    func createActivation(_ app: LabActor) throws {
        guard let code else { throw Breach(expected: "an activation code is made before the activation") }
        try app.call(CreateActivation { $0.activationCode = code.activationCode })
    }

    func persistActivation(_ app: LabActor, biometry: Bool = true) throws {
        let password = password
        try app.call(
            PersistActivation {
                $0.password = password
                $0.biometry = biometry
            })
    }

    /// Gives the apps a new activation, made by one of them.
    func activate(_ app: LabActor) throws {
        try makeCode()
        try createActivation(app)
        // The server confirms no activation of protocol 4 before its commit.
        if makesVersion4 { try commitActivation(app) }
        try persistActivation(app)
        if !makesVersion4 { try commitActivation(app) }
    }

    /// Confirms a key exchange that the server knows.
    func commitActivation(_ app: LabActor) throws {
        let identifier = try activationId(app)
        try lab.server.call(CommitActivation { $0.activationId = identifier })
    }

    func activationId(_ app: LabActor) throws -> String {
        guard let identifier = try app.call(ActivationIdentifier()) else {
            throw Breach(expected: "\(app.name) reports the identifier of the activation")
        }
        return identifier
    }

    func status(_ app: LabActor) throws -> ActivationStatus.Result {
        let identifier = try activationId(app)
        return try lab.server.call(ActivationStatus { $0.activationId = identifier })
    }

    /// Gives the apps an activation of the protocol V2.
    func activateLegacy() throws {
        let device = try wallet.call(StartLegacyActivation())
        let seeded = try lab.server.call(
            CallResource {
                $0.path = "/lab/seed"
                $0.request = [
                    "activations": .array([
                        .object([
                            "userId": .string("alice"), "version": .integer(2),
                            "devicePublicKey": .string(device.devicePublicKey),
                        ])
                    ])
                ]
            })
        guard let seed = seeded["activations"]?.arrayValue?.first,
            let identifier = seed["activationId"]?.stringValue, let key = seed["serverPublicKey"]?.stringValue
        else { throw Breach(expected: "the server makes an activation of the protocol V2, but it answered \(seeded)") }
        let password = password
        try wallet.call(
            CompleteLegacyActivation {
                $0.activationId = identifier
                $0.serverPublicKey = key
                $0.password = password
            })
    }

    /// Gives apps with SDK 2.0 an activation of protocol 3 that the server offers protocol 4.
    func activateVersion3() throws {
        try wallet.call(CreateSDK { $0.algorithm = .legacyP256 })
        try makeCode()
        try createActivation(wallet)
        try commitActivation(wallet)
        try persistActivation(wallet, biometry: false)
        try wallet.call(CreateSDK())
        guard !offersUpgrade, let applicationId = code?.applicationId else { return }
        try lab.server.call(
            CallResource {
                $0.path = "/rest/v3/application/config/create"
                $0.request = [
                    "applicationId": .string(applicationId), "key": .string("cryptography_algorithms_supported"),
                    "values": .array([.string("EC_P256"), .string("EC_P384")]),
                ]
            })
        offersUpgrade = true
    }

    /// Upgrades the activation to protocol 4, or continues an upgrade.
    func upgrade(_ app: LabActor) throws {
        let password = password
        try app.call(StartProtocolUpgrade { $0.password = password })
    }

    /// Gives the apps an activation with the biometry factor and a token, unless they have one.
    func ensureActivation() throws {
        if try !wallet.call(HasValidActivation()) { try activate(wallet) }
        let password = password
        if try !wallet.call(HasBiometryFactor()) { try wallet.call(AddBiometryFactor { $0.password = password }) }
        try requestToken(Self.token, by: wallet)
    }

    func removeActivation() throws {
        try wallet.call(RemoveActivationLocal())
    }

    /// Lets the next started app create the shared memory.
    func loseMemory() throws {
        try lab.phone.call(UnlinkSharedMemory())
        counters = nil
    }

    /// Erases the phone. The finger is enrolled again, for the activations that follow.
    func erase() throws {
        try lab.phone.call(Erase())
        try lab.phone.call(EnrolBiometry())
        counters = nil
    }

    // MARK: Use

    func requestToken(_ name: String, by app: LabActor) throws {
        try app.call(RequestAccessToken { $0.name = name })
    }

    func changePassword(_ app: LabActor) throws {
        let (old, new): (Secret, Secret) = (password, password == "1234" ? "4321" : "1234")
        passwords = [old, new]
        try app.call(
            ChangePassword {
                $0.from = old
                $0.to = new
            })
        passwords = [new]
    }

    func sign(_ app: LabActor, _ password: Secret) throws -> HTTPHeader {
        try app.call(
            RequestSignature {
                $0.method = .post
                $0.uriId = "/payment"
                $0.password = password
            })
    }

    func biometrySignature(_ app: LabActor) throws -> HTTPHeader {
        try lab.phone.call(AnswerBiometry { $0.answer = .success })
        return try app.call(BiometrySignature { $0.uriId = "/payment" })
    }

    func accepts(_ header: HTTPHeader) throws -> Bool {
        try lab.server.call(
            VerifySignature {
                $0.header = header.value
                $0.method = .post
                $0.uriId = "/payment"
            }
        ).signatureValid
    }

    /// Whether the server accepts a header of an app's token; nil if the app has no such token.
    func acceptsToken(_ name: String, of app: LabActor) throws -> Bool? {
        guard let header = try app.call(GenerateHeader { $0.name = name }) else { return nil }
        return try lab.server.call(ValidateToken { $0.header = header.value }).tokenValid
    }
}
