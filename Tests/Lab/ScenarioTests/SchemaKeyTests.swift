// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import ScenarioLanguage

/// The readers of these mappings declare no keys, but ask for them one after the other. Each is given an unknown key:
/// its diagnostic lists the known ones.
@Suite("The keys of a schema are the keys that the lab reads", .endsInTime)
struct SchemaKeyTests {
    private static let unknown = "qqzzqq"

    /// The keys that the diagnostics about ``unknown`` list, by their mapping.
    private func known(_ diagnostics: [Diagnostic]) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for case .unknownKey(Self.unknown, let container, let known) in diagnostics.map(\.kind) {
            found[container] = Set(known)
        }
        return found
    }

    /// The keys of an object in a schema, found by its path of keywords.
    private func keys(of kind: ScenarioSchema.Kind, at path: String) throws -> Set<String> {
        var schema = ScenarioSchema.json(of: kind)
        for part in path.split(separator: "/") {
            schema = try #require(schema[String(part)], "the schema has no \(path)")
        }
        #expect(schema["additionalProperties"] == false, "\(path) is open")
        return Set(try #require(schema["properties"]?.objectValue).keys)
    }

    @Test func `lab.yaml, down to the settings of an app's SDK`() throws {
        let text = """
            q: 1
            topologies:
              default:
                q: 1
                server:
                  q: 1
                  callbacks: { q: 1 }
                  operationTemplates: [{ q: 1, templateName: a, dataTemplate: a }]
                  uiTemplates:
                    - { q: 1, placeholder: a, title: a, message: a, attributes: [{ q: 1, id: a, type: a, text: a }] }
                devices:
                  phone:
                    q: 1
                    kind: phone
                    apps:
                      main:
                        q: 1
                        bundleIdentifier: a
                        powerAuth:
                          { q: 1, sharing: { q: 1, appGroup: a, appIdentifier: a, keychainAccessGroup: a } }
                  watch: { kind: watch }
                links: { pairing: { q: 1, phone: phone, watch: watch } }
            """.replacing("q: 1", with: "\(Self.unknown): 1")
        let collector = DiagnosticCollector()
        _ = NamedTopologies.read(SourceFile(path: "lab.yaml", text: text), reporting: collector)
        let known = known(collector.diagnostics)
        let server = "definitions/server/properties"
        let places = [
            "the lab file": "", "a topology": "definitions/topology", "`server`": "definitions/server",
            "`callbacks`": "\(server)/callbacks", "an operation template": "\(server)/operationTemplates/items",
            "a UI template": "\(server)/uiTemplates/items",
            "an attribute": "\(server)/uiTemplates/items/properties/attributes/items", "a device": "definitions/device",
            "an app": "definitions/app", "`powerAuth`": "definitions/powerAuth",
            "`sharing`": "definitions/powerAuth/properties/sharing", "a link": "definitions/link",
        ]
        #expect(Set(known.keys) == Set(places.keys))
        for (container, path) in places {
            #expect(try keys(of: .lab, at: path) == known[container], "\(container)")
        }
        for part in ["topology", "device", "app", "powerAuth", "link"] {
            #expect(try keys(of: .scenario, at: "definitions/\(part)Part") == keys(of: .lab, at: "definitions/\(part)"))
        }
    }

    @Test func `A scenario, down to the objects behind the words`() throws {
        let text = """
            q: 1
            name: A
            lab: { q: 1, use: default }
            quarantine: { q: 1, reason: slow }
            requires: { q: 1, tls: false }
            values:
              a: { q: 1, generate: pin }
              b: { q: 1, environment: B, default: b }
              c: { q: 1, secret: c }
            setup: { q: 1, steps: [clock: freeze] }
            tearDown: { q: 1, steps: [clock: freeze] }
            steps:
              - waitFor: { q: 1, event: state.saved }
              - never: { q: 1, event: state.saved }
                steps: [clock: freeze]
              - order: [{ q: 1, event: state.saved }, { event: state.loaded }]
              - each: { q: 1, in: [1], as: d, steps: [clock: freeze] }
              - race: [{ main: hasValidActivation }, { wallet: hasValidActivation }]
                orders: { q: 1, budget: 1s }
              - repeat: { q: 1, times: 2, steps: [clock: freeze] }
              - stays: { q: 1, for: 1s, steps: [clock: freeze] }
              - eventually: { q: 1, for: 1s, steps: [clock: freeze] }
              - main: hasValidActivation
                either: [{ q: 1, expect: true }, { fails: any }]
              - main: hasValidActivation
                when: { q: 1, check: "${d}", expect: true }
              - include: steps.yaml
            """.replacing("q: 1", with: "\(Self.unknown): 1")
        let directory = try TemporaryDirectory()
        let steps =
            "\(Self.unknown): 1\nparameters: { a: { \(Self.unknown): 1, default: 1 } }\nsteps:\n  - clock: freeze\n"
        for (name, content) in [("scenario.yaml", text), ("steps.yaml", steps)] {
            try Files.write(Data(content.utf8), to: directory.file(name))
        }
        let lab = SuiteReader(labPath: "\(TestFiles.directory)/Failures/lab.yaml", environment: [:])
        let known = known(lab.read([directory.file("scenario.yaml")]).diagnostics)
        let value = "definitions/value/then"
        let places = [
            "a scenario": "", "`setup`": "properties/setup/then", "`tearDown`": "properties/tearDown/then",
            "`lab`": "properties/lab/then/else",
            "`quarantine`": "properties/quarantine/then", "`requires`": "properties/requires",
            "a generated value": "\(value)/then",
            "an environment value": "\(value)/else/then", "a secret value": "\(value)/else/else/then",
            "`waitFor`": "definitions/word.waitFor/properties/waitFor", "`never`": "definitions/event",
            "an event of `order`": "definitions/event",
            "`orders`": "definitions/orders/then",
            "`each`": "definitions/word.each/properties/each",
            "`repeat`": "definitions/word.repeat/then/properties/repeat",
            "`stays`": "definitions/word.stays/then/properties/stays",
            "`eventually`": "definitions/word.eventually/then/properties/eventually",
            "a way of `either`": "definitions/way", "`when`": "definitions/command/properties/when",
        ]
        #expect(Set(known.keys) == Set(places.keys).union(["an included file", "a parameter"]))
        for (container, path) in places {
            var expected = try #require(known[container])
            // `topology` excludes the other two.
            if container == "`lab`" { expected.remove("topology") }
            #expect(try keys(of: .scenario, at: path) == expected, "\(container)")
        }
        #expect(try keys(of: .include, at: "") == known["an included file"])
        let parameter = "properties/parameters/additionalProperties/then"
        #expect(try keys(of: .include, at: parameter) == known["a parameter"])
    }
}
