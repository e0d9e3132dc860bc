// SPDX-License-Identifier: Apache-2.0

/// The kinds of actor that a step can address.
public enum ActorKind: String, Codable, CaseIterable, Sendable {
    /// A phone's app, or an extension that embeds the full SDK, of version 1.9.
    case app
    /// The same with SDK 2.0.
    case app2
    /// An app extension with the Extensions SDK.
    case appExtension
    /// The app on a watch.
    case watchApp
    /// The PowerAuth server's back office.
    case server
    /// The server's process, handled by the caller of the command.
    case serverProcess
    /// The process of an app, extension or watch app, handled by its device.
    case process
    /// A simulated device.
    case device
    /// The process that plays a simulated device, handled by the caller of the command.
    case deviceProcess
    /// The link between a phone and a watch.
    case link
    /// The instance's fault table.
    case faults
    /// The instance's clock.
    case clock
    /// What all processes of the instance have recorded.
    case trace
}

extension Set<ActorKind> {
    /// The apps with a full SDK, of either version.
    public static let fullApps: Set = [.app, .app2]
    /// Every kind of app: with a full SDK, the Extensions SDK or the watch's.
    public static let allApps: Set = [.app, .app2, .appExtension, .watchApp]
}

extension ActorKind {
    /// The same kind of app with the other full SDK; nil for every other kind.
    public var withOtherSDK: ActorKind? {
        switch self {
        case .app: .app2
        case .app2: .app
        default: nil
        }
    }
}

extension PowerAuthSpec.SDK {
    /// What an app with this SDK is to the vocabulary.
    public var actor: ActorKind {
        switch self {
        case .full: .app
        case .full2: .app2
        case .extensions: .appExtension
        case .watch: .watchApp
        }
    }
}

extension AppSpec {
    /// What the app is to the vocabulary: the SDK inside decides.
    public var actorKind: ActorKind { powerAuth.sdk.actor }
}
