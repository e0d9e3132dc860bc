// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The functions of the SDK as its source declares them, so that tables find their rows.
package enum SDKFunctions {
    /// The names of the public functions that answer with a callback: of an SDK object, and of its token store.
    /// - Parameter module: the SDK.
    package static func withCallback(of module: String) throws -> Set<String> {
        try names(below: "Sources/SDK/\(module)/SDK").union(names(below: "Sources/SDK/PowerAuthShared/Tokens"))
    }

    private static func names(below directory: String) throws -> Set<String> {
        let base = Project.file(directory)
        let files = try FileManager.default.contentsOfDirectory(atPath: base.path)
        return try files.filter { !$0.contains("Async") }.reduce(into: []) { found, file in
            let text = try String(contentsOf: base.appending(path: file), encoding: .utf8)
            // A requirement of a public protocol has no access word of its own.
            for match in text.matches(of: /(public )?func (\w+)\(([^{}]*?)\) *(?:->[^{}\n]*)?[{\n]/) {
                let isCallback = match.3.contains(/(callback|completion): @escaping/)
                if isCallback, match.1 != nil || file == "PowerAuthTokenStore.swift" { found.insert(String(match.2)) }
            }
        }
    }
}
