/// Which requests of a service wait for each other (networking.md, section 8.1). The first spelling is the vendor's.
public enum WPNRequestConcurencyStrategy: Sendable {
    /// Nothing waits. Signatures may then reach the server in another order than they were made.
    case concurentAll
    /// Signed requests are made one after another, together with those of the SDK and, where the activation is shared, of
    /// the other applications. Requests with a token and unsigned ones do not wait.
    case serialSigned
    /// All requests of the service are made one after another; signed ones take their turn with those of the SDK besides.
    case serialAll

    /// ``concurentAll`` as the library spells it since 1.4.
    public static var concurrentAll: WPNRequestConcurencyStrategy { .concurentAll }
}

/// The name since 1.4.
public typealias WPNRequestConcurrencyStrategy = WPNRequestConcurencyStrategy
