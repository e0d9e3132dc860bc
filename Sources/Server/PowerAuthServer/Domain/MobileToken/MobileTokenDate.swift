/// A moment as the Mobile Token API writes it: `2026-03-01T08:15:30+0000` (mobile-token.md, section 2.6).
struct MobileTokenDate: Encodable, Sendable {
    let time: ServerTime

    init(_ time: ServerTime) {
        self.time = time
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Seconds are cut, not rounded.
        try container.encode("\(BackOfficeDate(time).text.prefix(19))+0000")
    }
}
