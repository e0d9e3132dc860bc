/// The scope of an encrypted request.
public enum PowerAuthCoreEciesEncryptorScope: Int, Sendable {
    /// The application; no activation is needed.
    case application = 0
    /// One activation.
    case activation = 1
}
