// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("House rules that a machine can check", .endsInTime)
struct HouseRuleTests {
    @Test func `Nothing waits by sleeping`() throws {
        for directory in ["Sources", "Tests", "Tools"] {
            try expectNone(of: ["Task.sleep", "Thread.sleep", "usleep(", "nanosleep(", " sleep("], below: directory)
        }
    }

    @Test
    func `No code asks Foundation for the parts of a path: it ends the process for a path of one character`() throws {
        try expectNone(
            of: ["NSString).deletingLastPathComponent", "NSString).lastPathComponent", "NSString).pathExtension"],
            below: "Sources")
    }

    @Test func `Only the clocks read the time`() throws {
        try expectNone(of: ["Date()", "Date.now", "DispatchTime.now", "DispatchWallTime.now"], below: "Sources")
    }

    @Test func `Only LabSystem calls the kernel about files, locks and processes`() throws {
        let calls = ["flock(", "shm_open(", "mmap(", "ftruncate(", "posix_spawn(", "waitpid("]
        for file in try Repository.swiftFiles(below: "Sources") where file.module != "LabSystem" {
            for line in file.codeLines {
                for call in calls where line.text.contains(call) && !line.text.contains("." + call) {
                    Issue.record("\(file.path):\(line.number) calls \(call)…) past LabSystem")
                }
            }
        }
    }

    @Test func `Every Swift file names its licence`() throws {
        for directory in ["Sources", "Tests", "Tools", "Examples"] {
            for file in try Repository.swiftFiles(below: directory) {
                let names = file.text.split(separator: "\n").prefix(2).contains(
                    "// SPDX-License-Identifier: Apache-2.0")
                if !names { Issue.record("\(file.path): begin it with // SPDX-License-Identifier: Apache-2.0") }
            }
        }
    }

    @Test func `The example of code for iOS imports what iOS has, and asks for no platform`() throws {
        let modules: Set = [
            "Foundation", "LocalAuthentication", "Security", "UIKit", "UserNotifications", "WatchConnectivity", "os",
            "os.log",
            "PowerAuth2", "PowerAuth2ForExtensions", "PowerAuth2ForWatch", "WultraMobileTokenSDK",
            "WultraPowerAuthNetworking",
            // Of the package itself.
            "BankShared",
        ]
        var imports = 0
        for file in try Repository.swiftFiles(below: "Examples/ForeignApp/Sources") {
            for line in file.codeLines {
                #expect(!line.text.contains("#if"), "\(file.path):\(line.number)")
                guard line.text.hasPrefix("import ") else { continue }
                imports += 1
                #expect(
                    modules.contains(String(line.text.dropFirst("import ".count))), "\(file.path):\(line.number)")
            }
        }
        #expect(imports > 40)
    }

    @Test func `Every test says its behaviour in a sentence, and every suite its subject`() throws {
        for file in try Repository.swiftFiles(below: "Tests") {
            for rest in file.text.components(separatedBy: "@Te" + "st").dropFirst() {
                guard rest.hasPrefix("(") || rest.first?.isWhitespace == true else { continue }
                let name = rest.firstMatch(of: /func\s+(\S)/)?.1
                if name != "`" { Issue.record("\(file.path): write func `A sentence` in \"\(rest.prefix(80))\"") }
            }
            for rest in file.text.components(separatedBy: "@Su" + "ite").dropFirst()
            where !rest.prefix(80).filter({ !$0.isWhitespace }).hasPrefix("(\"") {
                Issue.record("\(file.path): name the subject of the suite in \"\(rest.prefix(80))\"")
            }
        }
    }

    @Test func `Every suite has a time limit, and those that launch instances take turns`() throws {
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

    @Test func `Tests keep their files where the end of the process removes them`() throws {
        try expectNone(of: ["NSTemporaryDirectory", ".temporaryDirectory", "mkdtemp", "\"/tmp"], below: "Tests") {
            $0.module == "TestSupport"
        }
    }

    @Test func `No function value stands directly in a generic container: each read would wrap it once more`() throws {
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

    @Test func `No file has more than 500 lines`() throws {
        for directory in ["Sources", "Tests", "Tools"] {
            for file in try Repository.swiftFiles(below: directory) {
                let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
                #expect(count <= 500, "\(file.path) has \(count) lines")
            }
        }
    }

    @Test func `No two files have one name, but those that only export modules`() throws {
        let names = try Repository.swiftFiles(below: "Sources").compactMap { $0.path.split(separator: "/").last }
        for (name, files) in Dictionary(grouping: names, by: \.self) where files.count > 1 && name != "Exports.swift" {
            Issue.record("\(files.count) files have the name \(name)")
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
