internal import Foundation

/// The results as the XML that CI systems read.
public enum JUnitReport {
    /// The complete document.
    public static func render(_ results: [ScenarioResult], seconds: Double) -> String {
        let failed = results.count { $0.verdict == .failed && $0.quarantine == nil }
        let errors = results.count { $0.verdict == .inconclusive && $0.quarantine == nil }
        let skipped = results.count { $0.verdict == .notRun || $0.verdict != .passed && $0.quarantine != nil }
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let counts =
            "tests=\"\(results.count)\" failures=\"\(failed)\" errors=\"\(errors)\" skipped=\"\(skipped)\" time=\"\(time(seconds))\""
        xml += "<testsuites name=\"PowerAuth Lab\" \(counts)>\n  <testsuite name=\"scenarios\" \(counts)>\n"
        for result in results { xml += testCase(result) }
        return xml + "  </testsuite>\n</testsuites>\n"
    }

    private static func testCase(_ result: ScenarioResult) -> String {
        var xml =
            "    <testcase classname=\"\(escaped(result.id))\" name=\"\(escaped(result.name))\" time=\"\(time(result.seconds))\""
        guard result.verdict != .passed else { return xml + "/>\n" }
        xml += ">\n"
        guard result.verdict != .notRun else { return xml + "      <skipped message=\"not run\"/>\n    </testcase>\n" }
        let report = TerminalReport(isColoured: false)
        let text = result.failures.map(report.render).joined(separator: "\n")
        let message = result.failures.first.map { "\($0.title): \($0.reason)" } ?? result.verdict.rawValue
        if let reason = result.quarantine {
            xml += "      <skipped message=\"\(escaped("quarantined: \(reason)"))\"/>\n"
            xml += "      <system-out>\(escaped(text))</system-out>\n"
        } else {
            let element = result.verdict == .failed ? "failure" : "error"
            xml += "      <\(element) message=\"\(escaped(message))\">\(escaped(text))</\(element)>\n"
        }
        return xml + "    </testcase>\n"
    }

    private static func time(_ seconds: Double) -> String { String(format: "%.3f", seconds) }

    /// Text for elements and attributes; characters that XML 1.0 cannot hold become the replacement
    /// character.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
