import LabKit

/// A command as a user would declare it, with every kind of field.
struct Sample: Command {
    static let info = CommandInfo("sample", of: .app, "Shows every kind of field.")
    @Field("Text.") var text: String
    @Field("Secret.", limit: "at least 4 bytes") var secret: Secret
    @Field("Number.", unit: "bytes", limit: .between(1, 100)) var number: Int = 7
    @Field("Word.") var word: Word = .first
    @Field("Time.") var time: LabDuration?
    @Field("Anything.") var extras: [String: JSONValue]?

    enum Word: String, Choice {
        case first, second
    }

    struct Result: FieldObject {
        @Field("List.") var list: [Part]
        @Field("Note.") var note: String?
    }

    struct Part: FieldObject {
        @Field("Secret.") var secret: Secret
    }
}
