// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ScenarioEngine
import ScenarioLanguage

/// The results as XML for CI systems.
///
/// The classes are the files of the scenarios, written with dots, and the cases are the scenarios or the rows of a
/// file.
public enum JUnitReport {
    /// The complete document.
    public static func render(_ results: [ScenarioResult], seconds: Double) -> String {
        let counts =
            attribute("tests", String(results.count)) + attribute("failures", String(results.count(.failed)))
            + attribute("errors", String(results.count(.error))) + attribute("skipped", String(results.skipped))
            + attribute("time", time(seconds))
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append("<testsuites\(attribute("name", "PowerAuth Lab"))\(counts)>")
        lines.append("  <testsuite\(attribute("name", "scenarios"))\(counts)>")
        var taken: Set<String> = []
        for result in results { lines += testCase(result, taken: &taken) }
        return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }

    private static func testCase(_ result: ScenarioResult, taken: inout Set<String>) -> [String] {
        let className = className(of: result)
        // Scenarios may share a title, and all rounds of `--repeat` have the same.
        var name = result.name
        var round = 1
        while !taken.insert("\(className)\n\(name)").inserted {
            round += 1
            name = "\(result.name) (\(round))"
        }
        var lines = [
            "    <testcase" + attribute("classname", className) + attribute("name", name)
                + attribute("file", result.place.file) + attribute("line", String(result.place.line))
                + attribute("time", time(result.seconds)) + ">"
        ]
        lines.append("      <properties>")
        for (name, value) in properties(of: result) {
            lines.append("        <property\(attribute("name", name))\(attribute("value", value))/>")
        }
        lines.append("      </properties>")
        let explanation = XMLText.escaped(result.explanation)
        let message = attribute("message", result.leadingFailure?.headline ?? "not run")
        switch result.outcome {
        case .passed: lines += output(explanation)
        case .failed:
            lines.append(
                "      <failure\(message)\(attribute("type", result.verdict.rawValue))>\(explanation)</failure>")
        case .error:
            lines.append("      <error\(message)\(attribute("type", result.verdict.rawValue))>\(explanation)</error>")
        case .skipped(let reason):
            lines.append("      <skipped\(attribute("message", reason))/>")
            lines += output(explanation)
        }
        return lines + ["    </testcase>"]
    }

    private static func output(_ explanation: String) -> [String] {
        explanation.isEmpty ? [] : ["      <system-out>\(explanation)</system-out>"]
    }

    private static func className(of result: ScenarioResult) -> String {
        // The name contains the row of a table, too.
        var path = Substring(ScenarioPath.parts(of: result.scenario).file)
        if path.hasSuffix(".yaml") { path = path.dropLast(5) }
        return path.split(separator: "/").joined(separator: ".")
    }

    private static func properties(of result: ScenarioResult) -> [(String, String)] {
        var properties = [("scenario", result.id), ("topology", result.topology), ("seed", String(result.seed))]
        if !result.tags.isEmpty { properties.append(("tags", result.tags.joined(separator: ","))) }
        if let remark = result.remark { properties.append(("remark", remark)) }
        return properties + [("replay", result.replay)]
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        " \(name)=\"\(XMLText.escaped(value, inAttribute: true))\""
    }

    private static func time(_ seconds: Double) -> String { String(format: "%.3f", seconds) }
}

/// Text in the form of XML 1.0.
enum XMLText {
    /// A text for an element or an attribute; characters that XML cannot contain, even escaped, become the replacement
    /// character.
    static func escaped(_ text: String, inAttribute: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where inAttribute: result += "&quot;"
            case "\n" where inAttribute: result += "&#10;"
            case "\t" where inAttribute: result += "&#9;"
            // Unescaped, a parser would read it as a line feed.
            case "\r": result += "&#13;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
