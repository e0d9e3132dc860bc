import PowerAuthProtocol

/// A comparison made before a change, with the state that the change will most likely find: the cryptography of one
/// request must not delay the writes of others.
struct SignatureTrial: Sendable {
    private let binding: DeviceBinding
    private let applicationSecret: String
    /// Where the signature was found in that state; nil when it was not.
    let match: ServerSignatureVerification.Match?

    init(_ binding: DeviceBinding, _ version: ApplicationVersion, match: ServerSignatureVerification.Match?) {
        self.binding = binding
        applicationSecret = version.applicationSecret
        self.match = match
    }

    /// Whether it is the state that was met: another one has to be compared with anew.
    func holds(for binding: DeviceBinding, _ version: ApplicationVersion) -> Bool {
        binding == self.binding && version.applicationSecret == applicationSecret
    }
}
