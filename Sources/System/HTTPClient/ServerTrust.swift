package import Foundation

/// What an `https` connection trusts: the system's certificate authorities, those installed on the device, and the
/// application's decision about a server; and how the client shows who it is.
package struct ServerTrust: Sendable {
    /// PEM file with authorities that are trusted besides the system's; nil for none.
    package var authoritiesPath: String?
    /// PEM text with the only authorities that are trusted; nil trusts the system's.
    package var authorities: Data?
    /// The client's certificate; nil for none.
    package var identity: ClientIdentity?
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

/// The certificate with which a client shows who it is.
package struct ClientIdentity: Sendable {
    /// PEM text: the certificate, those that it leads to, and the private key.
    package let store: Data
    /// Opens the private key; empty for one without a password.
    package let password: String

    package init(store: Data, password: String) {
        self.store = store
        self.password = password
    }
}

/// The decision of the application's strategy about a server.
package enum ServerTrustDecision: Sendable {
    /// The connection is accepted, regardless of the verification.
    case accept
    /// The result of the verification counts.
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

/// A server's certificates in a handshake, and the result of the verification.
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
