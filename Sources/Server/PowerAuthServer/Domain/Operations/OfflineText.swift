/// A text as a line of an offline payload (mobile-token.md, section 19).
enum OfflineText {
    /// Makes one line of a text: backslashes and line ends are escaped, other control characters left out, and runs of
    /// white space become one space. What goes is decided by the code point alone (mobile-token.md, section 24, item 26).
    static func line(_ text: String) -> String {
        var line = ""
        var endsWithSpace = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n":
                line += "\\n"
                endsWithSpace = false
            case "\\":
                line += "\\\\"
                endsWithSpace = false
            case _ where scalar.properties.generalCategory == .control:
                break
            case _ where scalar.properties.isWhitespace:
                if !endsWithSpace { line += " " }
                endsWithSpace = true
            default:
                line.unicodeScalars.append(scalar)
                endsWithSpace = false
            }
        }
        return line
    }
}
