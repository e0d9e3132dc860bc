// SPDX-License-Identifier: Apache-2.0

// A statically linked build has neither the module Testing nor tests; the package manager builds this target all the same.
#if canImport(Testing)
    import Foundation
    public import Testing

    /// A text that is compared letter by letter with a file of the repository.
    ///
    /// With `RECORD=1` the file is rewritten, and the test still fails, so that a recording run is never green.
    public struct GoldenFile {
        private let path: String

        /// The file at a path, which need not exist yet.
        public init(path: String) { self.path = path }

        /// Compares; a difference is an issue of the running test.
        public func check(_ actual: String, sourceLocation: SourceLocation = #_sourceLocation) {
            let expected = try? String(contentsOfFile: path, encoding: .utf8)
            if ProcessInfo.processInfo.environment["RECORD"] == "1", expected != actual {
                try? actual.write(toFile: path, atomically: true, encoding: .utf8)
                Issue.record("recorded \(path); look at it and run again", sourceLocation: sourceLocation)
                return
            }
            guard let expected else {
                Issue.record("\(path) is missing; record it with RECORD=1", sourceLocation: sourceLocation)
                return
            }
            #expect(expected == actual, "\(difference(expected, actual))", sourceLocation: sourceLocation)
        }

        private func difference(_ expected: String, _ actual: String) -> String {
            let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
            let new = actual.split(separator: "\n", omittingEmptySubsequences: false)
            return new.difference(from: old).map { change in
                switch change {
                case .remove(let offset, let line, _): "-\(offset + 1) \(line)"
                case .insert(let offset, let line, _): "+\(offset + 1) \(line)"
                }
            }.joined(separator: "\n")
        }
    }
#endif
