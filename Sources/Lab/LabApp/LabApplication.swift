import LabKit

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
    ///
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
    public static func main() {
        AppProgram<Self>.main()
    }

    static var vocabulary: AppVocabulary {
        AppVocabulary(
            kind: role.kind, sdk: role.sdk, answersBuiltIn: true,
            commands: commands.map { $0.declaration(of: role.sdk.actor) }, errors: errors.flatMap { $0.names })
    }
}
