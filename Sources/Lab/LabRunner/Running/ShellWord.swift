/// Text as a word of a shell command line.
enum ShellWord {
    /// The text itself if every shell takes it literally, otherwise in single quotes.
    static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-./,:+=".contains($0)) }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
