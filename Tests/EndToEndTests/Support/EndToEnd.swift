import Foundation
import TestSupport
import Testing

/// The suites that launch whole instances. Each test starts half a dozen processes, which would keep one another and
/// everything else from the machine's cores, so the tests of a group take turns; the groups run side by side.
@Suite("End to end", .ends(withinSeconds: 900))
struct EndToEnd {
    /// What a command of the lab prints, writes and ends with.
    @Suite("Commands", .serialized)
    struct Commands {}

    /// What the pages of the documentation show.
    @Suite("Pages", .serialized)
    struct Pages {}

    /// What apps, devices and the server do to one another.
    @Suite("Peers", .serialized)
    struct Peers {}

    /// Whether a sanitizer is at work, which keeps freed memory and a shadow of all of it: what a process needs is not its
    /// own then. `Tools/scripts/test-sanitized` sets the options of each.
    static let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }

    /// Whether the tests play the whole catalogue, too: under a sanitizer, and where mistakes are made in the code on
    /// purpose, which sets `LAB_CATALOGUE`.
    static let playsCatalogue = isSanitized || ProcessInfo.processInfo.environment["LAB_CATALOGUE"] != nil
}
