public struct Uninstall: Command {
    public static let info = CommandInfo(
        "uninstall", of: .process,
        "Removes the app and its extensions: processes end, containers go, the keychain stays.")
    public init() {}
}

public struct Install: Command {
    public static let info = CommandInfo(
        "install", of: .process, "Installs an app that was uninstalled, with empty containers.")
    public init() {}
}

public struct Reinstall: Command {
    public static let info = CommandInfo(
        "reinstall", of: .process,
        "Removes the app and its extensions, and installs them again; they are not launched.")
    public init() {}
}
