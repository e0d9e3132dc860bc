/// What a user interface does with characters typed into a code field (protocol.md, section 4.3).
public enum TypedCharacter {
    /// The character to show, or nil for one to refuse. Lower case becomes upper case, `0` becomes `O`,
    /// `1` becomes `I`.
    public static func correct(_ character: Unicode.Scalar) -> Unicode.Scalar? {
        switch character {
        case "A"..."Z", "2"..."7": character
        case "a"..."z": Unicode.Scalar(character.value - 0x20)
        case "0": "O"
        case "1": "I"
        default: nil
        }
    }

    /// The same for code points as numbers; 0 for one to refuse.
    public static func correct(_ codePoint: UInt32) -> UInt32 {
        Unicode.Scalar(codePoint).flatMap { correct($0) }?.value ?? 0
    }

    /// Whether the character belongs to the alphabet of codes as it is.
    public static func validate(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "A"..."Z", "2"..."7": true
        default: false
        }
    }

    /// The same for a code point as a number.
    public static func validate(_ codePoint: UInt32) -> Bool {
        Unicode.Scalar(codePoint).map { validate($0) } ?? false
    }
}
