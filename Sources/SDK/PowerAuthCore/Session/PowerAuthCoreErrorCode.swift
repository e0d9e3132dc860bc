/// Why a call of the core was refused.
///
/// The vendor's calls report most failures as `nil` or `false` and write the code to the core log; the calls for the
/// external encryption key return it. See protocol.md, section 16.
public enum PowerAuthCoreErrorCode: Int, Error, Sendable {
    /// The call succeeded.
    case ok = 0
    /// Cryptography failed: a key, a signature, a MAC or encrypted data is unusable.
    case encryption = 1
    /// The session is not in a state that allows the call.
    case wrongState = 2
    /// A parameter is missing or has a wrong format or size.
    case wrongParam = 3
}
