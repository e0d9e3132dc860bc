/// Which certificate a server with TLS shows.
public enum CertificateKind: String, Codable, CaseIterable, Sendable {
    /// Issued by the lab's authority for localhost and 127.0.0.1.
    case valid
    /// Vouches for itself.
    case selfSigned = "self-signed"
    /// Was valid until yesterday.
    case expired
    /// Valid, for another host.
    case wrongHost = "wrong-host"
}
