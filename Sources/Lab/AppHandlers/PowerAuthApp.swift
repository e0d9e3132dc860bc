// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabControl
import LabCore
public import LabPeer
import LabVocabulary
public import PowerAuth2
public import PowerAuth2ForExtensions
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

/// What a peer with the full SDK 1.9 does: builds its SDK objects from the topology and answers the app's commands.
///
/// Main queue only, as an app's own code would use the SDK.
public final class PowerAuthApp {
    private let objects: SDKObjects<PowerAuthSDK>

    /// Creates the SDK object of the peer's app.
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        objects = try SDKObjects(peer: peer) { spec in
            let sdk = try PowerAuthSDK(
                checking: PowerAuthConfiguration(spec, server: peer.serverReady),
                keychain: PowerAuthKeychainConfiguration(spec), client: PowerAuthClientConfiguration(spec))
            if spec.sharesTimeWithWatch { sdk.watchSynchronization.insert(.time) }
            if spec.refreshesTokensOnWatch { sdk.watchSynchronization.insert(.tokens) }
            return sdk
        }
    }

    /// The SDK object that commands are for.
    /// - Throws: the cause when its configuration was refused.
    public func sdk() throws -> PowerAuthSDK { try objects.used() }

    /// Registers every command that an app with SDK 1.9 understands.
    public func register(on peer: Peer) {
        let sdk = self.sdk
        let requests = RunningRequests(peer: peer)
        FullAppHandlers.register(on: peer, requests: requests, kept: KeptCredentials(), objects: objects)
        RecoveryHandlers.register(on: peer, requests: requests, sdk: sdk)
        LegacyActivationHandlers.register(on: peer, sdk: sdk)
        Version1KeyHandlers.register(on: peer, requests: requests, sdk: sdk)
        let app = MobileTokenApp(peer: peer, sdk: sdk)
        objects.willReplace = { app.forgetServices(ofInstance: $0) }
        NetworkingHandlers.register(on: peer, app: app)
        UserOperationHandlers.register(on: peer, app: app, sdk: sdk)
        InboxHandlers.register(on: peer, app: app)
    }
}

/// The commands of apps with a full SDK of either version.
enum FullAppHandlers {
    static func register<SDK: FullSDK>(
        on peer: Peer, requests: RunningRequests, kept: KeptCredentials, objects: SDKObjects<SDK>
    ) {
        let sdk = objects.used
        objects.register(on: peer) { $0.commonConfiguration }
        ActivationHandlers.register(on: peer, requests: requests, sdk: sdk)
        BiometryHandlers.register(on: peer, requests: requests, kept: kept, sdk: sdk)
        SignatureHandlers.register(on: peer, requests: requests, sdk: sdk)
        SharedStateHandlers.register(on: peer, requests: requests, sdk: sdk)
        TokenHandlers.register(on: peer, requests: requests) { try sdk().tokenStore }
        WatchSupportHandlers.register(on: peer, sdk: sdk)
        PushHandlers.register(on: peer)
        ServiceHandlers.register(on: peer, requests: requests, kept: kept, sdk: sdk)
    }
}

/// What an extension with the Extensions SDK does: it reads what the app has stored.
///
/// Main queue only.
public final class ReadingExtension {
    private let objects: SDKObjects<PowerAuthExtensionSDK>
    private let configuration: PowerAuthConfiguration

    /// Creates the SDK object of the peer's extension.
    /// - Throws: when the server that the topology asks for is not ready.
    public init(peer: Peer) throws {
        configuration = try PowerAuthConfiguration(peer.app.powerAuth, server: peer.serverReady)
        objects = try SDKObjects(peer: peer) { spec in
            let sdk = try PowerAuthExtensionSDK(
                checking: PowerAuthConfiguration(spec, server: peer.serverReady),
                keychain: PowerAuthKeychainConfiguration(spec))
            sdk.removesLocalTokens = spec.removesLocalTokens
            sdk.usesApplicationHeaderVersion = spec.usesApplicationHeaderVersion
            return sdk
        }
    }

    /// The SDK object that commands are for.
    /// - Throws: the cause when its configuration was refused.
    public func sdk() throws -> PowerAuthExtensionSDK { try objects.used() }

    /// Registers every command that an extension with the Extensions SDK understands.
    public func register(on peer: Peer) {
        let sdk = self.sdk
        objects.register(on: peer) { $0.configuration }
        peer.handleSync(CanStartActivation.self) { _ in try sdk().canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in try sdk().hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in try sdk().hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in try sdk().activationIdentifier }
        TokenHandlers.register(on: peer, requests: RunningRequests(peer: peer)) { try sdk().tokenStore }
        OwnRequests.register(on: peer, configuration: configuration) { try sdk().tokenStore }
    }
}

/// Turns the errors of all SDKs that an app has into what a scenario can match.
public enum AppErrorFacts {
    /// The control error for anything that a command handler threw.
    public static func controlError(for error: any Error) -> ControlError {
        guard let error = error as? WPNError else { return ErrorFacts.controlError(for: error) }
        return ControlError(
            domain: "WPNError", code: error.nestedError == nil ? nil : error.code, name: error.reason.rawValue,
            message: error.description, userInfo: .object(facts(of: error)))
    }

    private static func facts(of error: WPNError) -> [String: JSONValue] {
        var facts: [String: JSONValue] = [
            "networkIsNotReachable": .bool(error.networkIsNotReachable),
            "networkConnectionIsNotTrusted": .bool(error.networkConnectionIsNotTrusted),
        ]
        facts["httpStatusCode"] = error.httpStatusCode.map { .integer(Int64($0)) }
        facts["responseCode"] = error.restApiError.map { .string($0.code) }
        facts["responseMessage"] = error.restApiError.map { .string($0.message) }
        facts["nested"] = error.nestedError.flatMap { ErrorFacts.controlError(for: $0).name }.map { .string($0) }
        return facts
    }
}
