// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import TestSupport
import Testing

@Suite("The tree of a YAML file", .endsInTime)
struct YAMLTreeTests {
    private func parse(_ text: String, path: String = "a.yaml") throws -> YAMLNode {
        let collector = DiagnosticCollector()
        let node = YAMLDocument.parse(SourceFile(path: path, text: text), reporting: collector)
        return try #require(node, "\(DiagnosticRenderer().render(collector.diagnostics))")
    }

    private static func text(_ range: SourceRange) -> String {
        "\(range.start.line):\(range.start.column)-\(range.end.line):\(range.end.column)"
    }

    @Test func `Every value has its place, from its first character to behind its last`() throws {
        let root = try parse(
            #"""
            a: one
              two
            b: "x\"y"
            c: 'it''s' # said
            d: "x
              y" # said
            e: |
              x
              yy
            f: [1, { g: 2 }]
            h:
              - i
              - jj
            k: plain
            """#)
        let places: [(String, String)] = [
            ("a", "1:4-2:6"), ("b", "3:4-3:10"), ("c", "4:4-4:11"), ("d", "5:4-6:5"), ("e", "7:4-9:5"),
            ("f", "10:4-10:14"), ("h", "12:3-13:7"), ("k", "14:4-14:9"),
        ]
        #expect(root.entries?.map(\.key) == places.map(\.0))
        for (key, place) in places { #expect(root[key].map { Self.text($0.place.range) } == place, "\(key)") }
        #expect(root["f"]?.elements?.map { Self.text($0.place.range) } == ["10:5-10:6", "10:8-10:14"])
        #expect(root["h"]?.elements?.map { Self.text($0.place.range) } == ["12:5-12:6", "13:5-13:7"])
        #expect(Self.text(root.place.range) == "1:1-14:9")
        #expect(root.entries?.map { Self.text($0.keyPlace.range) }.first == "1:1-1:2")
    }

    /// The text of a scalar, and how a mask covers its lines. The `•` do not cover spaces.
    private static let secrets: [(String, [String])] = [
        ("a: secret word", ["a: •••••• ••••"]),
        ("a: 'secret' # said", ["a: •••••••• # said"]),
        ("a: \"secret\n  word\"\nb: 1", ["a: •••••••", "  •••••", "b: 1"]),
        ("a: |\n  secret\n  word\nb: 1", ["a: •", "  ••••••", "  ••••", "b: 1"]),
        ("a: |-\n  secret\n  word\nb: 1", ["a: ••", "  ••••••", "  ••••", "b: 1"]),
        ("a: |-\n  secret\n# said\nb: 1", ["a: ••", "  ••••••", "# said", "b: 1"]),
        ("a: |2\n    secret\n\n  # word\n\nb: 1", ["a: ••", "    ••••••", "", "  • ••••", "", "b: 1"]),
        ("a: >\n  secret\n  word\nb: 1", ["a: •", "  ••••••", "  ••••", "b: 1"]),
        ("a: >-\n  secret\n\n    word\nb: 1", ["a: ••", "  ••••••", "", "    ••••", "b: 1"]),
        ("a: secret\n  word\n\n  more # said\nb: 1", ["a: ••••••", "  ••••", "", "  •••• # said", "b: 1"]),
        ("a:\n  secret\n  word\nb: 1", ["a:", "  ••••••", "  ••••", "b: 1"]),
        ("{ a: secret\n  word, b: 1 }", ["{ a: ••••••", "  ••••, b: 1 }"]),
        // What precedes a value, such as an anchor, belongs to its place.
        ("a: &x \"secret\"\nb: 1", ["a: •• ••••••••", "b: 1"]),
        ("a: &x 'secret'\nb: *x", ["a: •• ••••••••", "b: *x"]),
        ("a: &x secret\n  word\nb: 1", ["a: •• ••••••", "  ••••", "b: 1"]),
        ("a: &x |\n  secret\nb: 1", ["a: •• •", "  ••••••", "b: 1"]),
        ("a: !<tag:a,b> &x # said\n  secret\nb: 1", ["a: •••••••••• •• • ••••", "  ••••••", "b: 1"]),
    ]

    @Test(arguments: secrets)
    func `A secret is masked on all of its lines, and nothing beside it`(text: String, lines: [String]) throws {
        let file = SourceFile(path: "a.yaml", text: text)
        let node = try #require(YAMLDocument.parse(file, reporting: DiagnosticCollector()))
        var (secrets, others) = (SecretRanges(), SecretRanges())
        secrets.insert(try #require(node["a"]).place)
        others.formUnion(secrets)
        others.formUnion(secrets)
        for masked in [secrets, others] {
            #expect((1...lines.count).map { masked.masked(line: $0, of: file) } == lines)
        }
        #expect(secrets.masked(line: 1, of: SourceFile(path: "b.yaml", text: text)) == file.line(1))
    }

    @Test func `A plain value is what JSON reads, and every other one is text`() throws {
        let text = """
            customObject:
              whole: -3
              part: 1.5
              flag: true
              word: yes
              code: 0123
              quoted: "3"
              block: |
                4
              nothing:
              tilde: ~
              named: null
              text: "null"
              list: [1, "1", [], {}]
            """
        let collector = DiagnosticCollector()
        let spec = try #require(
            ServerSpecReader(collector).read(SourceFile(path: "server.yaml", text: text)),
            "\(DiagnosticRenderer().render(collector.diagnostics))")
        let expected: JSONValue = [
            "whole": -3, "part": 1.5, "flag": true, "word": "yes", "code": "0123", "quoted": "3", "block": "4\n",
            "nothing": nil, "tilde": nil, "named": nil, "text": "null", "list": [1, "1", [], [:]],
        ]
        #expect(spec.settings.customObject == expected)
    }

    private static func shown(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let scalar): "\(scalar.text)@\(node.place.file.path)"
        case .sequence(let elements): "[" + elements.map(shown).joined(separator: ", ") + "]"
        case .mapping(let entries): "{" + entries.map { "\($0.key): \(shown($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    @Test func `An overlay merges mappings and replaces everything else, and each value keeps its file`() throws {
        let base = try parse("{ a: { x: 1, y: 2 }, b: [1, 2], c: 3, d: { z: 4 }, e: 5 }", path: "base")
        let over = try parse("{ d: 6, e: { w: 7 }, f: 8, b: [9], a: { y: 10, v: 11 } }", path: "over")
        let merged = base.overlaid(by: over)
        #expect(
            Self.shown(merged) == """
                {a: {x: 1@base, y: 10@over, v: 11@over}, b: [9@over], c: 3@base, d: 6@over, e: {w: 7@over}, f: 8@over}
                """)
        #expect(merged.place.file.path == "over")
        #expect(merged.entries?.map(\.keyPlace.file.path) == ["over", "over", "base", "over", "over", "over"])
    }

    @Test func `A value that is left out, '~' and 'null' are nothing, unless they are quoted`() throws {
        let root = try parse("{ a: , b: ~, c: null, d: '', e: \"~\", f: 'null', g: [], h: {} }")
        #expect(root.entries?.filter(\.value.isNull).map(\.key) == ["a", "b", "c"])
        let shapes: [YAMLShape?] = [.nothing, .nothing, .nothing, .value, .value, .value, .list, .mapping]
        #expect("abcdefgh".map { root[String($0)]?.shape } == shapes)
    }
}
