import TestSupport
import Testing

/// The suites that launch whole instances. They take turns: each of their tests starts half a dozen processes, which
/// would keep one another and everything else from the machine's cores.
@Suite("End to end", .ends(withinSeconds: 900), .serialized)
struct EndToEnd {}
