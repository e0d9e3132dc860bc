/// A value with a name.
public final class WMTOperationAttributeKeyValue: WMTOperationAttribute {
    private enum Key: String, CodingKey {
        case value
    }

    /// The value.
    public let value: String

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        value = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .value)
        try super.init(from: decoder)
    }
}

/// A value that is a note or a message, and may be long.
public final class WMTOperationAttributeNote: WMTOperationAttribute {
    private enum Key: String, CodingKey {
        case note
    }

    /// The note.
    public let note: String

    /// Reads the attribute.
    public required init(from decoder: any Decoder) throws {
        note = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .note)
        try super.init(from: decoder)
    }
}

/// Heading of the lines that follow; its label is the text.
public final class WMTOperationAttributeHeading: WMTOperationAttribute {}
