// SPDX-License-Identifier: Apache-2.0

import LabFile
import TestSupport
import Testing

@Suite("The formatter", .endsInTime)
struct FormatterTests {
    private func format(_ text: String) throws -> String {
        try #require(
            try YAMLFormatter.format(SourceFile(path: "a.yaml", text: text), reporting: DiagnosticCollector()),
            "\(text)")
    }

    @Test
    func `Levels are two spaces apart, a list is indented below its key, and one space follows dashes and colons`()
        throws
    {
        let formatted = try format(
            """
            lab:
                use:   default
            steps:
            -   main :  kill
                with:
                      a: 1
            -
              "wallet": kill
            - - nested
              -   - deep
            """)
        #expect(
            formatted == """
                lab:
                  use: default
                steps:
                  - main: kill
                    with:
                      a: 1
                  - "wallet": kill
                  - - nested
                    - - deep

                """)
    }

    @Test
    func `Mappings and lists between brackets have spaces as the catalogue has them, and keep their lines`() throws {
        let formatted = try format(
            """
            a: {b:  1 ,c: [ 1,2 ], d: { }, "e":1}   # beside
            f: [
              1,

                2, { g: h,
              i: j }
            ]
            """)
        #expect(
            formatted == """
                a: { b: 1, c: [1, 2], d: {}, "e": 1 } # beside
                f: [
                    1,

                    2, { g: h,
                      i: j }
                  ]

                """)
    }

    @Test func `A comment stays above or beside its node, or below the node that it is indented under`() throws {
        let formatted = try format(
            """
            # the file
            steps: # beside
            # above the step
            - main: kill
              # under the step
            # above the next one
            - wallet:   kill    #beside
              with:
                  # nothing
              note: a
            # the end
            """)
        #expect(
            formatted == """
                # the file
                steps: # beside
                  # above the step
                  - main: kill
                    # under the step
                  # above the next one
                  - wallet: kill #beside
                    with:
                      # nothing
                    note: a
                # the end

                """)
    }

    @Test func `Multi-line scalars move as a whole and keep every space of their text`() throws {
        let formatted = try format(
            """
            a: |
                  one \u{20}
                    two
            b: |2-
                indented
               text
            c: plain  text
               that goes on

                 after an empty line
            d: "double \\
                quoted"
            e: |+
             kept


            """)
        #expect(
            formatted == """
                a: |
                  one \u{20}
                    two
                b: |2-
                    indented
                   text
                c: plain  text
                  that goes on

                  after an empty line
                d: "double \\
                  quoted"
                e: |+
                  kept


                """)
    }

    @Test func `There is at most one empty line in a row, none at the start, and one line end at the end`() throws {
        #expect(try format("\n\n\na: 1\r\n  \r\n\n\nb: 2  \r\n\n\n") == "a: 1\n\nb: 2\n")
        #expect(try format("\u{FEFF}a: 1") == "a: 1\n")
    }

    @Test func `A block scalar without a final line end gets none, because it would become part of its text`() throws {
        #expect(try format("a: |\n   b") == "a: |\n  b")
        #expect(try format("a: |-\n   b") == "a: |-\n  b\n")
    }

    @Test func `A file with a syntax error is refused with its diagnostic`() throws {
        let collector = DiagnosticCollector()
        let file = SourceFile(path: "a.yaml", text: "a: [1\nb: 2\n")
        #expect(try YAMLFormatter.format(file, reporting: collector) == nil)
        #expect(collector.count == 1)
    }

    /// A text, and the same text formatted.
    private static let layouts: [(String, String)] = [
        ("%YAML 1.2   # as written\n---\na:  1\n", "%YAML 1.2   # as written\n---\na: 1\n"),
        ("---   # begins\na:  1\n...\n", "--- # begins\na: 1\n...\n"),
        ("just  text\n", "just  text\n"),
        ("[a,b]\n", "[a, b]\n"),
        // What stands below a dash comes beside it, unless a comment is in between.
        ("- \n  a: 1\n  b: 2\n-   # said\n  c: 3\n-\n  - d\n", "- a: 1\n  b: 2\n- # said\n  c: 3\n- - d\n"),
        ("-   a:  1\n    b: 2\n-  - x\n   - y\n", "- a: 1\n  b: 2\n- - x\n  - y\n"),
        // The next key ends a list that stands in its column.
        ("a:\n- b\n- c\nd:\n  - e\n", "a:\n  - b\n  - c\nd:\n  - e\n"),
        ("? a\n:   b\n", "? a\n: b\n"),
        // The colon needs space behind the name of an alias.
        (
            "a: &x  1\nb:  *x\nc: { d: *x , e: [*x,*x] }\n*x : 2\n",
            "a: &x 1\nb: *x\nc: { d: *x, e: [*x, *x] }\n*x : 2\n"
        ),
        ("a: &m\n    b: 1\nc: &n  [1,2]\n", "a: &m\n  b: 1\nc: &n [1, 2]\n"),
        ("a: {}\nb: [ {} , [] ]\nc: {d: {e: [f,  {g: h}]}}\n", "a: {}\nb: [{}, []]\nc: { d: { e: [f, { g: h }] } }\n"),
        ("a: {\"b\":c,\"d\" : e, ? f : g}\n", "a: { \"b\": c, \"d\": e, ? f: g }\n"),
        ("a: [b # one\n  , c\n]\n", "a: [b # one\n    , c\n  ]\n"),
        ("a: [b c\n\n  d, e]\n", "a: [b c\n\n    d, e]\n"),
        ("url:  http://x:1/a#b\ntime:  12:30 # c\n", "url: http://x:1/a#b\ntime: 12:30 # c\n"),
        // A comment has the level that it is indented under.
        (
            "a:\n  # under a\n# under nothing\nb: 1\n  # under b\n# end\n",
            "a:\n  # under a\n# under nothing\nb: 1\n# under b\n# end\n"
        ),
        ("a:\n    b: 1\n  # between\n    # deep\nc: 1\n", "a:\n  b: 1\n# between\n  # deep\nc: 1\n"),
        ("# top\n\n\n# second\na: 1 #x\n", "# top\n\n# second\na: 1 #x\n"),
        ("a: \n\n\n  b: 1\n\n", "a:\n\n  b: 1\n"),
        // Empty lines are text inside of a scalar, and none behind it.
        ("a: b\n   c\n\n   d\ne: 1\n", "a: b\n  c\n\n  d\ne: 1\n"),
        ("a: 'x\n\n   y'\n", "a: 'x\n\n  y'\n"),
        ("a:   |2\n    x\n   y\n\n\nb: >+\n   z\n\n", "a: |2\n    x\n   y\n\nb: >+\n  z\n\n"),
        ("a: >-\n\n   x\n    y\n\n   z\nb: 1\n", "a: >-\n\n  x\n   y\n\n  z\nb: 1\n"),
    ]

    @Test(arguments: layouts)
    func `Each form of YAML has its layout, and keeps it`(text: String, expected: String) throws {
        #expect(try format(text) == expected)
        #expect(try format(expected) == expected)
    }

    @Test(arguments: 0..<40) func `Formatting keeps the meaning of any document, and is idempotent`(block: Int) throws {
        for seed in (block * 25)..<((block + 1) * 25) {
            var document = OddDocument(seed: UInt64(seed))
            let text = document.text()
            let collector = DiagnosticCollector()
            // The formatter throws when a value, a comment or any other character would be lost.
            let once = try YAMLFormatter.format(SourceFile(path: "\(seed).yaml", text: text), reporting: collector)
            let formatted = try #require(once, "seed \(seed): \(collector.diagnostics.map(\.kind.sentence))\n\(text)")
            #expect(try format(formatted) == formatted, "seed \(seed)\n\(text)")
        }
    }
}
