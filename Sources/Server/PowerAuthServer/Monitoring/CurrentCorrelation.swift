/// The identifier under which a caller finds a request again in the logs of all servers that it passed
/// (server.md, section 25).
struct CurrentCorrelation: Sendable {
    @TaskLocal static var current: String?

    let id: String

    /// Nil for a text that has no place in a log.
    init?(_ text: String) {
        guard (8...1024).contains(text.utf8.count), text.utf8.allSatisfy(Self.accepts) else { return nil }
        id = text
    }

    private static func accepts(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
