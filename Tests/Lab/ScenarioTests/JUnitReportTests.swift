// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("JUnit reports", .endsInTime)
struct JUnitReportTests {
    private static let results: [ScenarioResult] = [
        .sample(.passed), .sample(.failed, name: "Fails"), .sample(.inconclusive, name: "Open"),
        .sample(.failed, name: "Known", quarantine: "slow & old"),
    ]

    private let document: XMLDocument
    private let cases: [XMLElement]

    init() throws {
        document = try XMLDocument(data: Data(JUnitReport.render(Self.results, seconds: 6).utf8))
        cases = try document.nodes(forXPath: "//testcase").compactMap { $0 as? XMLElement }
    }

    @Test func `A parser accepts the document, and the counts are correct`() throws {
        let root = try #require(document.rootElement())
        for element in [root] + root.elements(forName: "testsuite") {
            #expect(element["tests"] == "4")
            #expect(element["failures"] == "1")
            #expect(element["errors"] == "1")
            #expect(element["skipped"] == "1")
            #expect(element["time"] == "6.000")
        }
        #expect(cases.count == 4)
    }

    @Test func `Text survives a round trip, except characters that XML cannot hold`() {
        #expect(cases[0]["name"] == "A <b> & \"c\" \u{FFFD}")
        let failure = cases[1].elements(forName: "failure").first
        #expect(failure?["message"] == "main: x: it failed with <x> & ]]>\u{FFFD}[0m")
        #expect(failure?.stringValue?.contains(" > 3 | - main: x\n") == true)
        #expect(failure?.stringValue?.contains("expected at a/b.yaml:4:21") == true)
    }

    @Test func `Space in an attribute is escaped, because a parser would change it, and so are line ends of Windows`() {
        let text = "a\tb\nc\rd \"<é>&\u{0}\u{1F}\u{FFFE}\u{FFFF}\u{7F}"
        #expect(
            XMLText.escaped(text, inAttribute: true)
                == "a&#9;b&#10;c&#13;d &quot;&lt;é&gt;&amp;\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{7F}")
        #expect(XMLText.escaped(text) == "a\tb\nc&#13;d \"&lt;é&gt;&amp;\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{7F}")
        #expect(cases.map { $0["time"] } == Array(repeating: "1.500", count: 4))
    }

    @Test func `Every verdict has its element; a quarantined failure is skipped with the reason`() {
        #expect(cases[0].children?.compactMap(\.name) == ["properties"])
        #expect(cases[1].children?.compactMap(\.name) == ["properties", "failure"])
        #expect(cases[2].children?.compactMap(\.name) == ["properties", "error"])
        #expect(cases[3].children?.compactMap(\.name) == ["properties", "skipped", "system-out"])
        #expect(cases[3].elements(forName: "skipped").first?["message"] == "quarantined: slow & old")
    }

    @Test func `File and line refer to the first failing step, or to the start of the scenario`() {
        #expect(cases.map { $0["file"] } == Array(repeating: "a/b.yaml", count: 4))
        #expect(cases.map { $0["line"] } == ["1", "3", "3", "3"])
    }

    @Test func `Properties list the scenario's inputs, and how to run it again`() throws {
        let properties = try #require(cases[1].elements(forName: "properties").first).elements(forName: "property")
        #expect(properties.map { $0["name"] } == ["scenario", "topology", "seed", "tags", "replay"])
        #expect(properties.map { $0["value"] } == ["a/b.yaml", "default", "7", "fast,x,y", "lab run b.yaml --seed 7"])
    }

    @Test func `No two cases have the same class and name, however often a scenario ran`() throws {
        var again = ScenarioResult.sample(.passed, id: "s/t.yaml[a]~2", name: "T [a]")
        again.round = 2
        let results: [ScenarioResult] = [
            .sample(.passed, id: "s/t.yaml[a]", name: "T [a]"), .sample(.passed, id: "s/t.yaml[b]", name: "T [b]"),
            again,
        ]
        let document = try XMLDocument(data: Data(JUnitReport.render(results, seconds: 1).utf8))
        let cases = try document.nodes(forXPath: "//testcase").compactMap { $0 as? XMLElement }
        #expect(cases.map { $0["classname"] } == ["s.t", "s.t", "s.t"])
        #expect(cases.map { $0["name"] } == ["T [a]", "T [b]", "T [a] (2)"])
    }

    /// The common part of the schemas in use (Jenkins' `junit-10.xsd`, and the form with properties of a case that
    /// Testmo describes), as far as the lab writes it.
    private static let shape: [String: (required: Set<String>, optional: Set<String>, children: [String])] = [
        "testsuites": (["name"], ["tests", "failures", "errors", "skipped", "time"], ["testsuite"]),
        "testsuite": (["name", "tests"], ["failures", "errors", "skipped", "time"], ["testcase"]),
        "testcase": (
            ["name", "classname"], ["time", "file", "line"],
            ["properties", "skipped", "error", "failure", "system-out", "system-err"]
        ),
        "properties": ([], [], ["property"]), "property": (["name", "value"], [], []),
        "failure": (["message", "type"], [], []), "error": (["message", "type"], [], []),
        "skipped": ([], ["message"], []), "system-out": ([], [], []),
    ]

    @Test func `Elements, their attributes and their order are those of the common schema`() throws {
        var elements = [try #require(document.rootElement())]
        var seen: Set<String> = []
        while let element = elements.popLast() {
            let name = element.name ?? ""
            seen.insert(name)
            let shape = try #require(Self.shape[name], "\(name) is no element of the schema")
            let attributes = Set((element.attributes ?? []).compactMap(\.name))
            #expect(attributes.isSuperset(of: shape.required), "\(name)")
            #expect(attributes.isSubset(of: shape.required.union(shape.optional)), "\(name)")
            for number in ["tests", "failures", "errors", "skipped", "time", "line"] {
                if let text = element[number] { #expect(Double(text) != nil, "\(name) \(number)=\(text)") }
            }
            let children = (element.children ?? []).compactMap { $0 as? XMLElement }
            let order = children.compactMap { child in shape.children.firstIndex(of: child.name ?? "") }
            #expect(order.count == children.count, "\(name) has a child that it must not have")
            #expect(order == order.sorted(), "\(name) has its children in another order")
            elements += children
        }
        #expect(seen == Set(Self.shape.keys))
    }
}

extension XMLElement {
    fileprivate subscript(name: String) -> String? { attribute(forName: name)?.stringValue }
}
