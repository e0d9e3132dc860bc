/// Why a device throws a push notification away.
public enum PushDropReason: String, Choice {
    /// The user has not allowed the app to show notifications.
    case notAllowed
    /// The user has ended the app, so that no push launches it.
    case forceQuit
    /// Another one of the app came while the device was offline.
    case replaced
    /// The app is in the foreground and does not want it to be shown.
    case declined
    /// The app was uninstalled while it waited.
    case uninstalled
    /// The process that it was handed to, or for which it waited, ended before it was done with it.
    case processEnded
}
