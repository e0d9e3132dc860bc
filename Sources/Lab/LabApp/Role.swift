import AppHandlers
import LabKit
import LabPeer
public import PowerAuth2
public import PowerAuth2ForExtensions
public import PowerAuth2ForWatch
import WatchAppHandlers

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
