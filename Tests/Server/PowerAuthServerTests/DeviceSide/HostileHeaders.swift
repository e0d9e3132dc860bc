// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// What can be wrong with the value of a PowerAuth header, made from a right one.
enum HostileHeaders {
    /// Values that no server can read.
    static func malformed(_ value: String) -> [(what: String, value: String)] {
        let attributes = value.matches(of: /([a-z_]+)="([^"]*)"/).map {
            (name: String($0.1), text: String($0.0), value: String($0.2))
        }
        var cases: [(what: String, value: String)] = [
            ("an empty value", ""), ("the scheme alone", "PowerAuth"), ("the scheme and a space", "PowerAuth "),
            ("another scheme", "Basic bGFiOmxhYg=="), ("the scheme in lower case", "p" + value.dropFirst()),
            ("no space after the scheme", value.replacing("PowerAuth ", with: "PowerAuth")),
            ("another scheme of the same beginning", value.replacing("PowerAuth ", with: "PowerAuth2 ")),
            ("half of it", String(value.prefix(value.count / 2))),
            ("no closing quote", String(value.dropLast())),
            ("no quotes at all and no values", value.replacing(/"[^"]*"/, with: "")),
            ("itself twice", "\(value), \(value)"),
            ("a hundred thousand commas", "PowerAuth " + String(repeating: ",", count: 100_000)),
            ("a hundred thousand bytes without a quote", "PowerAuth " + String(repeating: "x", count: 100_000)),
            ("ten thousand attributes", value + (0..<10_000).map { ", a\($0)=1" }.joined() + ", a0=2"),
            ("text outside ASCII", value.replacing("=\"", with: "=\"ž")),
            ("a path", "PowerAuth ../../etc/passwd"),
        ]
        for attribute in attributes {
            func replaced(_ text: String) -> String {
                value.replacing(attribute.text, with: "\(attribute.name)=\"\(text)\"", maxReplacements: 1)
            }
            cases.append(("no \(attribute.name)", value.replacing(attribute.text, with: "", maxReplacements: 1)))
            cases.append(("an empty \(attribute.name)", replaced("")))
            cases.append(("\(attribute.name) twice", value + ", " + attribute.text))
            cases.append(
                (
                    "\(attribute.name) in capitals",
                    value.replacing(attribute.name + "=", with: attribute.name.uppercased() + "=")
                ))
            for hostile in hostileValues(of: attribute.name, right: attribute.value) {
                cases.append(("\(attribute.name) \(hostile.prefix(40))", replaced(hostile)))
            }
        }
        return cases
    }

    private static func hostileValues(of name: String, right: String) -> [String] {
        let anything = [
            " ", "\(right) ", " \(right)", right + right, String(repeating: "A", count: 8_000), "%00", "null",
            "../../\(right)", "' OR 1=1 --", "\u{202E}\(right)",
        ]
        switch name {
        case "version", "pa_version":
            return anything + ["2.0", "2.1", "3", "3.", "3.4", "4.0", "03.3", "3.3.0", "3,3", "٣.٣", "-3.3", "3.10"]
        case "pa_signature_type":
            return anything + ["everything", "possession,knowledge", "possession_knowledge_biometry_x"]
        case "timestamp":
            return anything + ["12345678", "1234567890123456", "-1728380000123", "1728380000.5", "0x1923445566"]
        case "pa_activation_id", "activation_id", "token_id":
            return anything + [
                "7a24c6e948e943c2ab4aaed6270e924d", "7a24c6e9-48e9-63c2-ab4a-aed6270e924d",
                "7a24c6e9-48e9-43c2-cb4a-aed6270e924d", "{\(right)}", String(right.dropLast()),
                right.replacing("-", with: "_"),
            ]
        case "pa_signature":
            return anything + [
                "AAAA", "12345678-1234567", "1234567a", "12345678-12345678-12345678-12345678",
                StrictBase64.encode(Data(count: 17)), StrictBase64.encode(Data(count: 64)), "%%%%%%%%%%%%%%%%%%%%%%==",
            ]
        default:
            return anything + [
                "%%%", StrictBase64.encode(Data(count: 15)), StrictBase64.encode(Data(count: 33)),
                "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAA\tAAAAAAAAAA==",
                "____________________-w==",
            ]
        }
    }
}
