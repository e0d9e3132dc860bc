// SPDX-License-Identifier: Apache-2.0

import CLabSystem

/// The columns of a terminal, and of texts in it.
public enum Terminal {
    /// How many columns the terminal at a descriptor has; nil if it is not a terminal, or does not report them.
    public static func columns(of descriptor: Int32) -> Int? {
        let columns = csystem_terminal_columns(descriptor)
        return columns > 0 ? Int(columns) : nil
    }

    /// How many columns a text takes. Wide characters take two, combining ones none.
    public static func width(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The beginning of a text that fits into some columns, with `…` in the place of what does not.
    public static func fitting(_ text: String, columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        var shown = ""
        var room = columns - 1
        for character in text {
            room -= width(of: character)
            if room < 0 { break }
            shown.append(character)
        }
        return columns > 0 ? shown + "…" : ""
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        // A sequence of emoji is one picture, regardless of the widths of its parts.
        if scalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }) { return 2 }
        return scalars.map { max(0, Int(csystem_character_columns($0.value))) }.max() ?? 0
    }
}
