/// UUIDs as headers carry them: 8-4-4-4-12 hexadecimal digits of either case, version 1–5, variant 8–b
/// (protocol.md, section 9.5).
public enum UUIDText {
    /// Whether `text` is such a UUID.
    public static func isValid(_ text: String) -> Bool {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return false }
        for (index, character) in characters.enumerated() {
            let lower = character | 0x20
            let isHex =
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower)
            switch index {
            case 8, 13, 18, 23: guard character == UInt8(ascii: "-") else { return false }
            case 14: guard (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(character) else { return false }
            case 19: guard isHex, "89ab".utf8.contains(lower) else { return false }
            default: guard isHex else { return false }
            }
        }
        return true
    }
}
