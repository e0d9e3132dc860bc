import Foundation
import LabKit
import TestSupport
import Testing

extension EndToEnd.Pages {
    @Suite("docs/own-app.md matches its sources")
    struct OwnAppPageTests {
        @Test("The lab reads the vocabulary of the page")
        func vocabulary() throws {
            let block = try #require(try DocumentationPage("docs/own-app.md").blocks("json").first)
            let vocabulary = try AppVocabulary(json: JSONValue.parse(block))
            #expect(vocabulary.mistakes == [] && vocabulary.commands.map(\.name) == ["transfer"])
        }

        @Test("The page's scenario is the one that `make examples` runs, line by line")
        func scenario() throws {
            let shown = try #require(try DocumentationPage("docs/own-app.md").blocks("yaml").last)
            let run = try Project.text(of: "Examples/BankApp/Scenarios/the-first-app.yaml")
            #expect(shown == run)
        }

        @Test("The page's app is the one that `make examples` builds, line by line")
        func app() throws {
            let shown = try #require(try DocumentationPage("docs/own-app.md").blocks("swift").first)
            let built = try Project.text(of: "Examples/BankApp/Sources/first-app/BankApp.swift")
            #expect(shown == built)
        }
    }
}
