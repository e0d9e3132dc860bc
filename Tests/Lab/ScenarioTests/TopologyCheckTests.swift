// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import TestSupport
import Testing

@Suite("The parts of a topology fit together", .endsInTime)
struct TopologyCheckTests {
    /// Reads a topology in one line of a lab file.
    ///
    /// - Returns: The topology, and the mistakes with their columns.
    private func read(_ topology: String) -> (topology: Topology?, mistakes: [String]) {
        let collector = DiagnosticCollector()
        let file = SourceFile(path: "lab.yaml", text: "topologies: { default: { \(topology) } }")
        let entry = NamedTopologies.read(file, reporting: collector)?.topologies.first
        let mistakes = collector.diagnostics.map { "\($0.place.range.start.column): \($0.kind.sentence)" }
        return (entry.flatMap { TopologyReader(collector).read($0.value, name: $0.key) }, mistakes)
    }

    private static let phoneAndWatch = "devices: { phone: { kind: phone }, watch: { kind: watch } }"

    private static func phone(_ app: String) -> String {
        "devices: { phone: { kind: phone, apps: { main: { bundleIdentifier: a, \(app) } } } }"
    }

    private static func watch(_ app: String) -> String {
        "devices: { watch: { kind: watch, apps: { main: { bundleIdentifier: a, \(app) } } } }"
    }

    /// A topology, and its mistakes.
    private static let checks: [(String, [String])] = [
        ("devices: {}", ["26: `devices` must not be empty"]),
        ("links: {}", ["26: a topology needs the key `devices`"]),
        (
            "devices: { watch: { kind: watch, biometry: faceID } }",
            ["59: `biometry: faceID` does not fit: a watch has no biometry"]
        ),
        ("devices: { watch: { kind: watch, biometry: none } }", []),
        ("devices: { phone: { kind: phone, biometry: touchID } }", []),
        (phone("kind: watchApp"), ["96: `main` does not fit: a watch app is installed on a watch, not on a phone"]),
        (watch("kind: extension"), ["96: `main` does not fit: only watch apps are installed on a watch"]),
        (watch("kind: watchApp"), []),
        (
            phone("powerAuth: { sdk: extensions }"),
            ["114: `sdk: extensions` does not fit: only an extension embeds the Extensions SDK"]
        ),
        (
            phone("powerAuth: { sdk: watch }"),
            ["114: `sdk: watch` does not fit: a watch app, and only it, embeds the watch SDK"]
        ),
        (
            watch("powerAuth: { sdk: full }"),
            ["114: `sdk: full` does not fit: a watch app, and only it, embeds the watch SDK"]
        ),
        (
            watch("powerAuth: { sdk: \"2.0\" }"),
            ["114: `sdk: 2.0` does not fit: a watch app, and only it, embeds the watch SDK"]
        ),
        (phone("kind: extension, powerAuth: { sdk: full }"), []),
        (phone("kind: extension, powerAuth: { sdk: \"2.0\" }"), []),
        (phone("powerAuth: { sdk: 2.0, algorithm: LEGACY_P256, sharesTimeWithWatch: true }"), []),
        (
            phone("powerAuth: { algorithm: EC_P384 }"),
            ["120: `algorithm` does not fit: only SDK 2.0 chooses one; write `sdk: \"2.0\"` beside it"]
        ),
        (phone("powerAuth: { sdk: 2.0, algorithm: P384 }"), ["130: `algorithm` cannot be `P384`"]),
        (
            phone("powerAuth: { sdk: 2.0, removesLocalTokens: true }"),
            ["139: `removesLocalTokens` does not fit: only the Extensions SDK has this switch"]
        ),
        (
            phone("kind: extension, pushEnvironment: production"),
            ["113: `pushEnvironment` does not fit: only an app of a phone gets pushes"]
        ),
        (phone("timeLimit: 5s"), ["96: `timeLimit` does not fit: the system limits the time of extensions only"]),
        (phone("kind: extension, timeLimit: 0s"), ["113: `timeLimit` is 0s, but must be more than zero"]),
        (phone("kind: extension, timeLimit: 1ns"), []),
        (
            phone("powerAuth: { removesLocalTokens: false }"),
            ["129: `removesLocalTokens` does not fit: only the Extensions SDK has this switch"]
        ),
        (
            phone("powerAuth: { usesApplicationHeaderVersion: true }"),
            ["139: `usesApplicationHeaderVersion` does not fit: only the Extensions SDK has this switch"]
        ),
        (
            phone("kind: extension, powerAuth: { sharesTimeWithWatch: true }"),
            ["147: `sharesTimeWithWatch` does not fit: only the full SDK has this switch"]
        ),
        (
            watch("powerAuth: { refreshesTokensOnWatch: false }"),
            ["133: `refreshesTokensOnWatch` does not fit: only the full SDK has this switch"]
        ),
        (
            phone("appGroups: [[b], wrong]"),
            [
                "108: an element of `appGroups` must be a single value, but here is a list",
                "113: `wrong` does not fit: the name of an app group begins with `group.` and goes on",
            ]
        ),
        (
            phone("quirks: [~, nope]"),
            [
                "105: an element of `quirks` must be a single value, but here is nothing",
                "108: there is no quirk called `nope`",
            ]
        ),
        (phone("host: main"), ["102: `host` does not fit: an app has no host"]),
        (watch("host: main"), ["102: there is no app called `main`"]),
        (
            phone("settings: { a: 1 }"),
            ["106: `settings` does not fit: they are passed to an `executable`, which is not set here"]
        ),
        (phone("executable: b, settings: [1]"), ["121: `settings` must be a mapping, but here is a list"]),
        (phone("executable: b, settings: { c: [1] }"), ["126: `c` must be a single value, but here is a list"]),
        (
            "\(phoneAndWatch), links: { pairing: { phone: watch, watch: phone } }",
            ["114: there is no phone called `watch`", "128: there is no watch called `phone`"]
        ),
        ("\(phoneAndWatch), links: { pairing: { phone: phone } }", ["107: a link needs the key `watch`"]),
        (
            "\(phoneAndWatch), links: { phone: { phone: phone, watch: watch } }",
            ["96: `phone` is already the name of a device; names must be unique"]
        ),
    ]

    @Test(arguments: checks)
    func `Parts that do not fit together are reported at their places, and no others`(
        topology: String, mistakes: [String]
    ) {
        #expect(read(topology).mistakes == mistakes)
    }

    @Test func `The host of an extension is an app of its phone, and that of a watch app an app of any phone`() {
        func devices(_ part: String) -> String {
            "devices: { one: { kind: phone, apps: { main: { bundleIdentifier: a } } }, two: { \(part) } }"
        }
        #expect(
            read(devices("kind: phone, apps: { part: { bundleIdentifier: b, kind: extension, host: main } }")).mistakes
                == ["180: there is no app called `main`"])
        #expect(read(devices("kind: watch, apps: { part: { bundleIdentifier: b, host: main } }")).mistakes == [])
    }

    @Test func `A name begins with a letter and has 32 characters at most, and no word of the language is one`() {
        func mistakes(_ name: String) -> [String] { read("devices: { \(name): { kind: phone } }").mistakes }
        for name in ["a", "a-b_C9", String(repeating: "a", count: 32)] { #expect(mistakes(name) == [], "\(name)") }
        for name in ["1a", "-a", "é", "a.b", "\"a b\"", String(repeating: "a", count: 33)] {
            let bare = name.replacing("\"", with: "")
            #expect(mistakes(name) == ["37: `\(bare)` cannot be the name of a device"], "\(name)")
        }
        #expect(ReservedWords.all.count > 40)
        for word in ReservedWords.all {
            #expect(mistakes(word) == ["37: a device cannot be called `\(word)`: the scenario language uses this word"])
        }
    }

    @Test(arguments: Sizes.around(1) + Sizes.around(1_000_000))
    func `The capacity of a link is limited`(_ transfers: Int) {
        let link = "{ phone: phone, watch: watch, capacity: \(transfers) }"
        let found = read("\(Self.phoneAndWatch), links: { pairing: \(link) }")
        let isFine = (1...1_000_000).contains(transfers)
        if isFine { #expect(found.topology?.links.map(\.capacity) == [transfers]) }
        #expect(found.mistakes == (isFine ? [] : ["145: `capacity` is \(transfers), but must be from 1 to 1000000"]))
    }
}
