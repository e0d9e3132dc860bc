/// `uninstall`: removes the app from its device.
public enum Uninstall: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "uninstall"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary =
        "Removes the app and its extensions: processes end, containers go, the keychain stays."
}

/// `install`: puts an uninstalled app back.
public enum Install: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "install"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Installs an app that was uninstalled, with empty containers."
}

/// `reinstall`: removes the app and installs it again.
public enum Reinstall: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "reinstall"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Removes the app and its extensions, and installs them again; they are not launched."
}
