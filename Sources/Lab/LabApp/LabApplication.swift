// SPDX-License-Identifier: Apache-2.0

import AppHandlers
import LabControl
import LabCore
import LabPeer
import LabPoints
import LabVocabulary
public import PowerAuth2
public import PowerAuth2ForExtensions
public import PowerAuth2ForWatch
import WatchAppHandlers

/// An app of yours in the lab: its logic on one of the SDKs, and the commands by which scenarios drive it.
///
/// Write a ``MainApp``, an ``ExtensionApp``, a ``SharingExtensionApp`` or a ``WatchApp``; with `@main` it is a whole
/// program:
///
/// ```swift
/// @main
/// final class BankApp: MainApp {
///     let context: Context
///     init(_ context: Context) { self.context = context }
///
///     static let commands: [Command<BankApp>] = [
///         Command("isReady", "Checks whether the user can log in.") { app in
///             try app.context.sdk.hasValidActivation()
///         }
///     ]
/// }
/// ```
///
/// `lab.yaml` names the program with `executable`. The app answers the lab's commands for its kind, too, on the same SDK
/// object, so that a scenario activates it with `createActivation` as any other app.
///
/// Thread rule: main actor.
@MainActor
public protocol LabApplication: AnyObject, Sendable {
    /// The SDK of the app.
    associatedtype SDK

    /// Makes the app when its process starts, after the SDK object was made.
    /// - Throws: when the app cannot start; its process ends with the error in its log.
    init(_ context: AppContext<SDK>) throws

    /// The commands that only this app has.
    static var commands: [Command<Self>] { get }
    /// The errors that only this app has; none by default.
    static var errors: [any AppError.Type] { get }
    /// What the app is to the lab. Each protocol for a kind of app has its own.
    static var role: Role<SDK> { get }
}

extension LabApplication {
    /// No errors of its own.
    public static var errors: [any AppError.Type] { [] }

    /// Runs the program: prints its vocabulary when asked for it, otherwise plays the app until it is ended.
    public static func main() { AppProgram<Self>.main() }

    static var vocabulary: AppVocabulary {
        AppVocabulary(
            kind: role.kind, sdk: role.sdk, answersBuiltIn: true,
            commands: commands.map { $0.declaration(of: role.sdk.actor) }, errors: errors.flatMap { $0.names })
    }
}

/// What an app is to the lab: its kind, its SDK, and how it answers the lab's own commands.
@MainActor
public struct Role<SDK> {
    let kind: AppSpec.Kind
    let sdk: PowerAuthSpec.SDK
    /// Registers the lab's own commands, and gives the SDK object that they act on.
    let register: (Peer) throws -> () throws -> SDK
}

/// A phone's app with `PowerAuth2`. It answers the lab's commands for apps.
public protocol MainApp: LabApplication where SDK == PowerAuthSDK {
    /// What the app gets from the lab.
    typealias Context = AppContext<PowerAuthSDK>
}

extension MainApp {
    /// An app.
    public static var role: Role<PowerAuthSDK> {
        Role(kind: .app, sdk: .full) { peer in
            let app = try PowerAuthApp(peer: peer)
            app.register(on: peer)
            MessagingHandlers.register(on: peer, reportsPairing: true)
            return app.sdk
        }
    }
}

/// An extension of an app that embeds the whole `PowerAuth2` and shares the app's activation. It answers the lab's
/// commands for apps; `lab.yaml` says `powerAuth: { sdk: full }`.
public protocol SharingExtensionApp: LabApplication where SDK == PowerAuthSDK {
    /// What the app gets from the lab.
    typealias Context = AppContext<PowerAuthSDK>
}

extension SharingExtensionApp {
    /// An extension with the full SDK.
    public static var role: Role<PowerAuthSDK> {
        Role(kind: .appExtension, sdk: .full) { peer in
            let app = try PowerAuthApp(peer: peer)
            app.register(on: peer)
            MessagingHandlers.register(on: peer, reportsPairing: true, hasSession: false)
            return app.sdk
        }
    }
}

/// An extension of an app with `PowerAuth2ForExtensions`, which reads what the app has stored. It answers the lab's
/// commands for extensions.
public protocol ExtensionApp: LabApplication where SDK == PowerAuthExtensionSDK {
    /// What the app gets from the lab.
    typealias Context = AppContext<PowerAuthExtensionSDK>
}

extension ExtensionApp {
    /// An extension.
    public static var role: Role<PowerAuthExtensionSDK> {
        Role(kind: .appExtension, sdk: .extensions) { peer in
            let app = try ReadingExtension(peer: peer)
            app.register(on: peer)
            return app.sdk
        }
    }
}

/// The app on a watch with `PowerAuth2ForWatch`. It answers the lab's commands for watch apps.
public protocol WatchApp: LabApplication where SDK == PowerAuthWatchSDK {
    /// What the app gets from the lab.
    typealias Context = AppContext<PowerAuthWatchSDK>
}

extension WatchApp {
    /// A watch app.
    public static var role: Role<PowerAuthWatchSDK> {
        Role(kind: .watchApp, sdk: .watch) { peer in
            let app = try WatchAppHandlers.WatchApp(peer: peer)
            app.register(on: peer)
            MessagingHandlers.register(on: peer, reportsPairing: false)
            return { app.sdk }
        }
    }
}

/// What an app gets from the lab: its SDK object, and what the lab file says about it.
@MainActor
public final class AppContext<SDK> {
    /// The name of the app in scenarios.
    public let name: String
    /// What the lab file hands to the app under `settings`.
    public let settings: [String: String]
    private let peer: Peer
    private let used: () throws -> SDK

    init(_ peer: Peer, sdk: @escaping () throws -> SDK) {
        self.peer = peer
        used = sdk
        name = peer.app.name
        settings = peer.app.own?.settings ?? [:]
    }

    /// The SDK object that the lab's own commands act on, made as the lab file configures it. Ask for it each time:
    /// `createSDK` replaces it.
    /// - Throws: the cause when its configuration was refused.
    public var sdk: SDK { get throws { try used() } }

    /// Where the lab's enrolment server listens, which passes requests of apps on; without a slash at the end.
    /// - Throws: when the server does not come up within ten seconds.
    public var serverURL: String {
        get throws { try peer.app.powerAuth.baseEndpointUrl ?? peer.serverReady().enrollmentURL }
    }

    /// Writes a sentence into the trace of the app, where `waitFor: { event: log }` and the page of a run see it. Never
    /// a secret.
    public func log(_ message: String) { peer.emit(.log, ["level": "info", "message": .string(message)]) }
}

/// The errors of an own app that scenarios can distinguish: `fails: notLoggedIn`.
///
/// ```swift
/// enum BankError: String, AppError {
///     case notLoggedIn, accountIsBlocked
/// }
/// ```
///
/// An app names its type in ``LabApplication/errors``, so that the lab knows the names before a run.
public protocol AppError: Error, CaseIterable, RawRepresentable<String> {
    /// What happened, for people.
    var message: String { get }
}

extension AppError {
    /// The name; a case with more to say has a message of its own.
    public var message: String { rawValue }

    /// The error as a scenario sees it.
    var controlError: ControlError {
        ControlError(domain: String(describing: Self.self), name: rawValue, message: message)
    }

    static var names: [String] { allCases.map(\.rawValue) }
}
