// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking
package import LabHTTP

/// The certificates of a server with the system's decision about them, as a strategy sees them in a challenge (sdk.md,
/// section 5.3).
///
/// The names are those of Apple's Security framework, which Linux lacks; here are the parts that validation and pinning
/// of certificates need. Immutable. Thread rule: any thread.
public final class SecTrust: Sendable {
    let certificates: [SecCertificate]
    let problem: String?

    init(_ server: ServerCertificates) {
        certificates = server.chain.map { SecCertificate(der: $0) }
        problem = server.problem
    }
}

/// A certificate. Immutable. Thread rule: any thread.
public final class SecCertificate: Sendable {
    let der: Data

    init(der: Data) { self.der = der }
}

/// Whether the system trusts the server: authority, validity and host.
/// - Parameter error: takes the reason when the result is false.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<NSError?>?) -> Bool {
    guard let problem = trust.problem else { return true }
    error?.pointee = NSError(
        domain: NSOSStatusErrorDomain, code: errSecNotTrusted, userInfo: [NSLocalizedDescriptionKey: problem])
    return false
}

/// `errSecNotTrusted` of the Security framework.
private let errSecNotTrusted = -67843

/// The certificates from the server's own upwards, as far as the server sent them or the system knows them.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [SecCertificate]? { trust.certificates }
/// Number of certificates in the chain.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int { trust.certificates.count }

/// A certificate of the chain; 0 is the server's own. Nil beyond the end.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: Int) -> SecCertificate? {
    trust.certificates.indices.contains(index) ? trust.certificates[index] : nil
}

/// The bytes of a certificate in DER form.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { certificate.der }

/// The authentication method of every challenge that a strategy gets.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The server's certificates, in a challenge for a ``PowerAuthClientSslValidationStrategy``; nil elsewhere.
    public var serverTrust: SecTrust? { (self as? ServerProtectionSpace)?.shownTrust }
}

extension URLCredential {
    /// The credential that accepts a server.
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}

/// The protection space of a challenge for a server.
///
/// Unchecked: the superclass is immutable, and so is the only property.
final class ServerProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    fileprivate let shownTrust: SecTrust

    init(_ url: URL, trust: SecTrust) {
        shownTrust = trust
        super.init(
            host: url.host ?? "", port: url.port ?? 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
    }

    // The superclass can be read back from an archive; a handshake is never archived.
    required init?(coder: NSCoder) { nil }
}

extension URLAuthenticationChallenge {
    /// The challenge that an application's strategy is asked about, with the certificates in
    /// `protectionSpace.serverTrust`.
    /// - Parameters:
    ///   - server: the server's certificates.
    ///   - url: the URL of the request.
    package convenience init(server: ServerCertificates, of url: URL) {
        self.init(
            protectionSpace: ServerProtectionSpace(url, trust: SecTrust(server)), proposedCredential: nil,
            previousFailureCount: 0, failureResponse: nil, error: nil, sender: IgnoredChallengeSender())
    }
}

/// The challenge's other way to answer, which strategies do not use.
private final class IgnoredChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
