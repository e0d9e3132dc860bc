import Foundation
import TestSupport
import Testing

@Suite("A scenario can wait for what the traces really hold", .endsInTime)
struct TraceEventTests {
    private static let declarations = "Sources/Lab/LabKit/Trace/TraceEventName.swift"

    @Test("Every declared event is in the list of all events, and emitted somewhere")
    func declaredEventsAreEmitted() throws {
        let declared = try members(declaredIn: Project.text(of: Self.declarations))
        let emitted = try emittedMembers()
        #expect(declared.count > 40)
        for name in declared.sorted() where !emitted.contains(name) {
            Issue.record("no code emits `\(name)`, but `waitFor` accepts it; emit it or remove it")
        }
    }

    @Test("Nothing emits an event that is not declared")
    func emittedEventsAreDeclared() throws {
        let text = try Project.text(of: Self.declarations)
        let declared = try members(declaredIn: text)
        let all = try #require(
            text.components(separatedBy: "all: [TraceEventName] = [").last?.split(separator: "]").first)
        let listed = all.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        #expect(Set(listed) == declared && listed.count == declared.count)
        // Names exist only there: the initialiser of `TraceEventName` that takes any text is private.
        #expect(text.contains("private init(_ name: String,"))
    }

    private func members(declaredIn text: String) throws -> Set<String> {
        Set(text.matches(of: /static let (\w+) = TraceEventName\(/).map { String($0.1) })
    }

    /// The `.member` arguments of all calls that write to a trace, in all sources.
    private func emittedMembers() throws -> Set<String> {
        var members: Set<String> = []
        for file in try Repository.swiftFiles(below: "Sources") where file.path != Self.declarations {
            let code = file.codeLines.map(\.text).joined(separator: "\n")
            // Simple boundaries: in Unicode's sense `sandbox.trace` is one word.
            for call in code.matches(of: /\b(?:emit|trace)\(/.wordBoundaryKind(.simple)) {
                var depth = 1
                let arguments = code[call.range.upperBound...].prefix { character in
                    if character == "(" { depth += 1 }
                    if character == ")" { depth -= 1 }
                    return depth > 0
                }
                members.formUnion(arguments.matches(of: /\.(\w+)/).map { String($0.1) })
            }
        }
        return members
    }
}
