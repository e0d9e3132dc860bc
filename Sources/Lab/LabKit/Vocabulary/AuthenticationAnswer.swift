/// What the owner of a device does when a dialog asks for a finger, a face or the passcode.
public enum AuthenticationAnswer: String, Choice {
    /// A finger or face that matches; where biometry cannot help and the dialog takes the passcode, the passcode.
    case success
    /// One attempt that does not match; the dialog stays open until it gives up.
    case mismatch
    /// As many attempts that do not match as the dialog takes.
    case failure
    /// So many attempts that do not match that biometry is locked out.
    case lockout
    /// The cancel button.
    case cancel
    /// The fallback button.
    case fallback
    /// The passcode, where the dialog takes it; otherwise cancel.
    case passcode
    /// The system takes the dialog away, as for an incoming call.
    case systemCancel
}
