import Foundation
import TestSupport
import Testing

@Suite("House rules that a machine can check", .endsInTime)
struct HouseRuleTests {
    @Test("Nothing waits by sleeping")
    func nobodySleeps() throws {
        for directory in ["Sources", "Tests", "Tools"] {
            try expectNone(of: ["Task.sleep", "Thread.sleep", "usleep(", "nanosleep(", " sleep("], below: directory)
        }
    }

    @Test("No code asks Foundation for the parts of a path: it ends the process for a path of one character")
    func pathsAreTexts() throws {
        try expectNone(
            of: ["NSString).deletingLastPathComponent", "NSString).lastPathComponent", "NSString).pathExtension"],
            below: "Sources")
    }

    @Test("Only the clocks read the time")
    func timeHasOneSource() throws {
        try expectNone(of: ["Date()", "Date.now", "DispatchTime.now", "DispatchWallTime.now"], below: "Sources")
    }

    @Test("Only LabSystem calls the kernel about files, locks and processes")
    func kernelHasOneDoor() throws {
        let calls = ["flock(", "shm_open(", "mmap(", "ftruncate(", "posix_spawn(", "waitpid("]
        for file in try Repository.swiftFiles(below: "Sources") where file.module != "LabSystem" {
            for line in file.codeLines {
                for call in calls where line.text.contains(call) && !line.text.contains("." + call) {
                    Issue.record("\(file.path):\(line.number) calls \(call)…) past LabSystem")
                }
            }
        }
    }

    @Test("Every fault point is passed by some code")
    func faultPointsArePassed() throws {
        let declaration = "Sources/Lab/LabKit/Faults/FaultPoint.swift"
        let names = try Project.text(of: declaration).matches(of: #/public static let (\w+) = FaultPoint\(/#)
            .map { ".\($0.1)" }
        #expect(!names.isEmpty)
        let users = try Repository.swiftFiles(below: "Sources").filter { $0.path != declaration }
        for name in names {
            #expect(users.contains { $0.text.contains(name) }, "no code passes the fault point \(name)")
        }
    }

    @Test("Every test says its behaviour in a sentence, and every suite its subject")
    func testsAreNamed() throws {
        for file in try Repository.swiftFiles(below: "Tests") {
            for mark in ["@Te" + "st", "@Su" + "ite"] {
                for rest in file.text.components(separatedBy: mark).dropFirst() {
                    let words = rest.prefix(80).filter { !$0.isWhitespace }
                    if !words.hasPrefix("(\"") { Issue.record("\(file.path): write \(mark)(\"…\") in \"\(words)\"") }
                }
            }
        }
    }

    @Test("Every suite has a time limit, and those that launch instances take turns")
    func suitesEndInTime() throws {
        for file in try Repository.swiftFiles(below: "Tests") {
            let isEndToEnd = file.path.hasPrefix("Tests/EndToEndTests/")
            if file.path.hasSuffix("/EndToEnd.swift") {
                // The limit is that of all its groups.
                #expect(file.text.contains("@Su" + "ite(\"End to end\", .ends(withinSeconds:"))
                continue
            }
            for rest in file.text.components(separatedBy: "@Su" + "ite(").dropFirst() {
                let isLimited = rest.prefix(200).contains(/\.endsInTime|\.ends\(withinSeconds:/)
                #expect(
                    isEndToEnd ? file.text.contains(/extension EndToEnd(\.[A-Z][a-z]+)? {/) : isLimited,
                    """
                    \(file.path): \(isEndToEnd ? "put the suite into an extension of a group of `EndToEnd`" : "add `.endsInTime`") \
                    in "\(rest.prefix(60))"
                    """)
            }
        }
    }

    @Test("Tests keep their files where the end of the process removes them")
    func temporaryFilesHaveOnePlace() throws {
        try expectNone(of: ["NSTemporaryDirectory", ".temporaryDirectory", "mkdtemp", "\"/tmp"], below: "Tests") {
            $0.module == "TestSupport"
        }
    }

    @Test("No function value stands directly in a generic container: each read would wrap it once more")
    func functionsHaveAnObject() throws {
        // An array or a dictionary of functions stores each in the general form from the start, and may stand in one.
        let container = #/\b(Mutex|Guarded|Atomic|ManagedBuffer|UnsafeMutablePointer)<\(*(@\w+ )*\([^\[\]]*->/#
        for directory in ["Sources", "Tests", "Tools", "Examples"] {
            for file in try Repository.swiftFiles(below: directory) {
                for line in file.codeLines where line.text.contains(container) {
                    Issue.record("\(file.path):\(line.number) stores a function in a container; use a HandlerSlot")
                }
            }
        }
    }

    @Test("No file has more than 500 lines")
    func filesHoldOneIdea() throws {
        for directory in ["Sources", "Tests", "Tools"] {
            for file in try Repository.swiftFiles(below: directory) {
                let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
                #expect(count <= 500, "\(file.path) has \(count) lines")
            }
        }
    }

    /// The file that holds the clocks may say what the others may not.
    private static let clocks = "Sources/System/LabSystem/Clocks.swift"

    private func expectNone(
        of words: [String], below directory: String, except isExempt: (SourceText) -> Bool = { _ in false }
    ) throws {
        for file in try Repository.swiftFiles(below: directory)
        where file.module != "ArchitectureTests" && file.path != Self.clocks && !isExempt(file) {
            for line in file.codeLines {
                for word in words where line.text.contains(word) {
                    Issue.record("\(file.path):\(line.number) says \(word)")
                }
            }
        }
    }
}
