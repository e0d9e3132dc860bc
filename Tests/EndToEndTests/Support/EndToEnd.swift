// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The suites that launch whole instances. Each test starts half a dozen processes that compete for the machine's
/// cores, so the tests of a group run in turn; the groups run in parallel.
@Suite("End to end", .ends(withinSeconds: 900))
struct EndToEnd {
    /// The output, files and exit code of lab commands.
    @Suite("Commands", .serialized)
    struct Commands {}

    /// The pages of the documentation.
    @Suite("Pages", .serialized)
    struct Pages {}

    /// Interaction of apps, devices and the server.
    @Suite("Peers", .serialized)
    struct Peers {}

    /// Whether a sanitizer is active, which keeps freed memory and a shadow of all memory, so that memory use is not
    /// the process's own. `Tools/scripts/test-sanitized` sets the options of each.
    static let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }
}
