/// What a phone sends to its watch unasked. The original sends only what the application sends (watch.md, section 5.5),
/// and so does this SDK by default.
public struct PowerAuthWatchSynchronization: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Answers and immediate messages contain the server's time, once the phone knows it. The watch then makes headers
    /// of the newest version, regardless of its own clock (watch.md, section 13, item 20).
    public static let time = PowerAuthWatchSynchronization(rawValue: 1)

    /// A token that the watch has got is sent again when the phone has another one of its name, and removed there when it is
    /// removed here.
    public static let tokens = PowerAuthWatchSynchronization(rawValue: 2)
}
