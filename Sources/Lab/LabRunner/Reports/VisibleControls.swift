extension String {
    /// The text with every character that would control a terminal, or change the order of the displayed text, written
    /// as `\u001B`. Line ends and tabs stay.
    public var withVisibleControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                shown += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// The same for a text of one line.
    var onOneVisibleLine: String {
        String(map { $0.isNewline || $0 == "\t" ? " " : $0 }).withVisibleControls
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F: true
        // Characters that reverse the direction of text.
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension StepFailure {
    /// The failure, with visible control characters in every text from a file or a process.
    var withVisibleControls: StepFailure {
        var shown = self
        shown.title = title.onOneVisibleLine
        shown.sentence = sentence?.onOneVisibleLine
        shown.place = place.onOneVisibleLine
        shown.source = source.withVisibleControls
        shown.reason = reason.withVisibleControls
        shown.includedAt = includedAt.map(\.onOneVisibleLine)
        shown.row = row?.onOneVisibleLine
        shown.details = details.map(\.onOneVisibleLine)
        shown.causes = causes.map(\.onOneVisibleLine)
        shown.events = events.map(\.onOneVisibleLine)
        shown.trace = trace.map(\.onOneVisibleLine)
        shown.sharing = sharing?.onOneVisibleLine
        shown.link = link?.onOneVisibleLine
        shown.passed = passed.map {
            EarlierPass(run: $0.run.onOneVisibleLine, comparison: $0.comparison.withVisibleControls)
        }
        shown.replay = replay.withVisibleControls
        shown.differences = differences.map { difference in
            Difference(
                path: difference.path.onOneVisibleLine, expected: difference.expected.withVisibleControls,
                actual: difference.actual.withVisibleControls, place: difference.place.onOneVisibleLine,
                hint: difference.hint?.onOneVisibleLine, excerpt: difference.excerpt.withVisibleControls)
        }
        return shown
    }
}
