package import Foundation

/// Whom an `https` connection trusts: the system's certificate authorities, those installed on the device, and what the
/// application says about a server.
package struct ServerTrust: Sendable {
    /// PEM file with authorities that are trusted besides the system's; nil for none.
    package var authoritiesPath: String?
    /// The moment at which certificates must be valid; nil is the machine's own time.
    package var time: Date?
    /// Asked during the handshake, before anything is sent; nil leaves the decision to the verification.
    package var judge: ServerTrustJudge?

    package init(authoritiesPath: String? = nil, time: Date? = nil, judge: ServerTrustJudge? = nil) {
        self.authoritiesPath = authoritiesPath
        self.time = time
        self.judge = judge
    }
}

/// What the application's strategy says about a server.
package enum ServerTrustDecision: Sendable {
    /// The connection is accepted, whatever the verification found.
    case accept
    /// What the verification found counts.
    case asVerified
    /// The request ends as a cancelled one.
    case cancel
    /// The request ends with an untrusted certificate.
    case reject
}

/// Decides about a server. Called on a background thread; the answer, exactly one, may come later and from any thread.
package typealias ServerTrustJudge =
    @Sendable (
        _ server: ServerCertificates, _ decided: @escaping @Sendable (ServerTrustDecision) -> Void
    ) -> Void

/// What a server showed in a handshake, and what the verification found.
package struct ServerCertificates: Sendable {
    /// Certificates in DER form, from the server's own upwards.
    package let chain: [Data]
    /// The finding as a sentence; nil when the certificates are in order and name the host.
    package let problem: String?

    package init(chain: [Data], problem: String?) {
        self.chain = chain
        self.problem = problem
    }
}
