// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Every name that the lab prints is explained", .endsInTime)
struct ExplanationTests {
    private static let errors: Set<Explanation.Subject> = [
        .sdkError, .transportError, .networkingError, .scannedCodeError, .watchError, .labError, .deviceError,
        .serverError,
    ]

    private func names(of subjects: Set<Explanation.Subject>) -> [String] {
        Explanation.all.filter { subjects.contains($0.subject) }.map(\.name)
    }

    @Test func `Every error, verdict and fault point has one explanation, and no other name has one`() {
        #expect(Set(names(of: Self.errors)) == Set(ErrorNames.all))
        #expect(Set(ErrorNames.all).count == ErrorNames.all.count)
        for subject in Self.errors {
            let names = names(of: [subject])
            #expect(Set(names).count == names.count, "\(subject)")
        }
        #expect(names(of: [.faultPoint]) == FaultPoint.allCases.map(\.rawValue))
        #expect(names(of: [.verdict]).sorted() == Verdict.allCases.map(\.rawValue).sorted())
        let failures = names(of: [.stepFailure])
        #expect(Set(failures).count == failures.count)
    }

    @Test func `Every code that the server or the specification has for devices is explained`() throws {
        let codes = RestErrorCode.allCases.map(\.rawValue)
        #expect(names(of: [.restError]) == codes)
        // No answer has a code that is not in the list.
        for path in ["HTTP/ErrorResponse", "MobileToken/MobileTokenFailure"] {
            let text = try Project.text(of: "Sources/Server/PowerAuthServer/\(path).swift")
            #expect(text.contains("RestErrorCode"), "\(path)")
            let literals = text.matches(of: /"([A-Z]+_[A-Z_]+)"/).map { String($0.1) }
            #expect(literals.filter { !$0.hasPrefix("POWER_AUTH_") } == [], "\(path)")
        }
        for (chapter, heading) in [("rest-api", "### 7.2 "), ("mobile-token", "### 16.2 ")] {
            let text = try Project.text(of: "docs/spec/\(chapter).md")
            let begin = try #require(text.range(of: heading)).upperBound
            let section = text[begin...].split(separator: "\n### ").first ?? ""
            // The second column of the tables behind the status.
            let rows = section.matches(of: #/(?m)^\| \d{3} \| (.+?) \|/#)
            let specified = rows.flatMap { $0.1.matches(of: /`([A-Z]+_[A-Z_]+)`/).map { String($0.1) } }
            #expect(specified.count > 8, "\(chapter): the table was not found")
            #expect(Set(specified).subtracting(codes) == [], "\(chapter)")
        }
        let refusal = "the server refused `/x` with ERR_AUTHENTICATION: signature does not match; 1 of 5 failures"
        #expect(try Explanation.find(refusal).map(\.name) == ["server-refused", "ERR_AUTHENTICATION"])
    }

    @Test func `The number of each transport error is the platform's`() throws {
        let explained = Explanation.all.filter { $0.subject == .transportError }
        #expect(explained.count > 4)
        for explanation in explained {
            #expect(ErrorNames.ofURLLoading(code: try #require(explanation.code)) == explanation.name)
        }
    }

    @Test func `Every kind of failure is explained under its printed words`() throws {
        let directory = Project.path("Sources/Lab/ScenarioEngine")
        let paths = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        let sources = try paths.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
        }
        for explanation in Explanation.all where explanation.subject == .stepFailure {
            let printed = try #require(explanation.printed, "\(explanation.name)")
            #expect(sources.contains { $0.contains(printed) }, "nothing prints \"\(printed)\"")
            for path in explanation.scenarios {
                let name = path.dropFirst("failing/".count).dropLast(".yaml".count)
                let shown = try Project.text(of: "Tests/EndToEndTests/Explanations/\(name).txt")
                #expect(shown.contains(printed), "\(path)")
            }
        }
        let texts =
            try TestFiles.cases(in: "Failures").map { "\(TestFiles.directory)/Failures/\($0)/expected.txt" }
            + Files.list(Project.path("Tests/EndToEndTests/Explanations")).map {
                Project.path("Tests/EndToEndTests/Explanations/\($0)")
            }
        #expect(texts.count > 40)
        for path in texts {
            #expect(try !Explanation.find(String(contentsOfFile: path, encoding: .utf8)).isEmpty, "\(path)")
        }
    }

    @Test func `An explanation says what to do, and where it is documented`() {
        for explanation in Explanation.all {
            let name = explanation.name
            #expect(explanation.meaning.hasSuffix("."), "\(name)")
            #expect(!explanation.advice.isEmpty, "\(name)")
            if case .unreachable = explanation.reachability { #expect(explanation.scenarios.isEmpty, "\(name)") }
            #expect(explanation.causes.allSatisfy { $0.hasSuffix(".") }, "\(name)")
            let isKnownCause = [.verdict, .faultPoint].contains(explanation.subject)
            #expect(isKnownCause || !explanation.causes.isEmpty, "\(name)")
            let isSpecified = [.sdkError, .transportError, .watchError, .serverError, .faultPoint].contains(
                explanation.subject)
            #expect(!isSpecified || name == "emptyCompletion" || !explanation.references.isEmpty, "\(name)")
            for reference in explanation.references {
                // `CitationTests` check that the place exists.
                #expect(reference.contains(/^[a-z-]+\.md, (section \d|[A-Z]\d)/), "\(name): \(reference)")
            }
        }
    }

    @Test func `Names, numbers and messages of errors are those of the specification`() throws {
        func chapter(_ name: String) throws -> String {
            try Project.text(of: "docs/spec/\(name)")
        }
        let (sdk, watch) = try (chapter("sdk.md"), chapter("watch.md"))
        let server = try chapter("server.md") + chapter("protocol-4.md")
        for explanation in Explanation.all {
            let (name, code) = (explanation.name, explanation.code.map(String.init) ?? "")
            switch explanation.subject {
            case .sdkError where explanation.code != nil: #expect(sdk.contains("| \(code) | `.\(name)` |"), "\(name)")
            case .watchError: #expect(watch.contains("| \(code) | \(name) | \(explanation.meaning) |"), "\(name)")
            case .serverError: #expect(server.contains("| \(name) | \(explanation.meaning) |"), "\(name)")
            default: break
            }
        }
    }

    @Test func `Listed scenarios show the name, and every name that a scenario shows lists one`() throws {
        let root = Project.path("Scenarios")
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        var texts: [String: String] = [:]
        for path in paths where path.hasSuffix(".yaml") {
            texts[path] = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
        }
        for explanation in Explanation.all {
            let name = NSRegularExpression.escapedPattern(for: explanation.name)
            let use = "(fails|code|others|point|error): .*(?<![A-Za-z._])\(name)(?![A-Za-z._])"
            for path in explanation.scenarios {
                let text = try #require(texts[path], "there is no Scenarios/\(path)")
                // A scenario does not contain how a step fails.
                guard explanation.subject != .stepFailure else { continue }
                #expect(text.range(of: use, options: .regularExpression) != nil, "\(path): \(explanation.name)")
            }
            let shown = texts.filter { $0.value.range(of: use, options: .regularExpression) != nil }.keys.sorted()
                // Failing scenarios show how failures look.
                .filter { !$0.hasPrefix("failing/") }
            // The `domain` selects one of several errors with the same name.
            let isNamed = Explanation.all.contains { $0.name == explanation.name && !$0.scenarios.isEmpty }
            #expect(shown.isEmpty || isNamed, "\(explanation.name) is shown by \(shown)")
        }
    }

    @Test func `A shared name lists all its meanings; a mistyped name is refused with the nearest one`() throws {
        #expect(try Explanation.find("failed").map(\.subject) == [.verdict, .labError])
        #expect(try Explanation.find("main: x: the result is not as expected").map(\.name) == ["result-differs"])
        let other = "it failed with another error than expected: peerDied"
        #expect(try Explanation.find(other).map(\.name) == ["other-failure"])
        let refusal = #expect(throws: BadUsage.self) { try Explanation.find("signatureEror") }
        #expect(refusal?.description.contains("did you mean `signatureError`?") == true)
        #expect(throws: BadUsage.self) { try Explanation.find("") }
    }

    @Test func `An explanation is printed with all its parts`() throws {
        let explanation = try #require(try Explanation.find("invalidActivationCode").first)
        #expect(
            ExplanationReference.text(explanation) == """
                invalidActivationCode (4)
                  An activation code, a recovery code, a PUK or a parameter of OpenID Connect is malformed.
                  Usual causes:
                    - A typing error: the last characters of a code are its checksum.
                  What to do: Nothing was sent. Use the code as the server gave it.
                  Specified in docs/spec: sdk.md, section 5.16; sdk.md, section 5.20
                  Shown by: Scenarios/sdk/recovery.yaml
                """)
    }
}
