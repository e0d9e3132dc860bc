// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The sample that apps of the lab can use as their session's delegate is the manual's.
@Suite("The session of the manual", .endsInTime)
struct ManualSessionTests {
    private static let manual = Project.root.deletingLastPathComponent()
        .appending(path: "shared/seeds/000_9c80b0efa3ee8cdc.txt")

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: manual.path),
            "the manuals are expected in ../shared/seeds beside the package"))
    func `The phone's sample is the manual's, word for word; the watch's lacks two methods and has another import`()
        throws
    {
        let text = try String(contentsOf: Self.manual, encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        let sample = try #require(blocks.first { $0.contains("class SessionManager") })
        #expect(try Self.code("Sources/Lab/ManualPhoneSession/PhoneSessionManager.swift") == sample)
        var lines = sample.components(separatedBy: "\n").map {
            $0 == "import PowerAuth2" ? "import PowerAuth2ForWatch" : $0
        }
        for method in ["sessionDidBecomeInactive", "sessionDidDeactivate"] {
            let first = try #require(lines.firstIndex { $0.contains("func \(method)") })
            // Three lines and the empty one behind them.
            lines.removeSubrange(first..<first + 4)
        }
        #expect(
            try Self.code("Sources/Lab/ManualWatchSession/WatchSessionManager.swift") == lines.joined(separator: "\n"))
    }

    /// A file without the comments in front of it.
    private static func code(_ path: String) throws -> String {
        try Project.text(of: path).components(separatedBy: "\n").drop { $0.isEmpty || $0.hasPrefix("//") }
            .joined(separator: "\n")
    }
}
