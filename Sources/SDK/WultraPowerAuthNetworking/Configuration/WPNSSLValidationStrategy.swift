import Foundation
public import FoundationNetworking
import HTTPClient
import PowerAuthShared

/// How the certificates of an `https` server are judged (networking.md, section 9).
///
/// Unchecked: the only part that could change is the application's provider, which is documented to be called on
/// background threads.
public enum WPNSSLValidationStrategy: @unchecked Sendable {
    /// The system decides.
    case `default`
    /// Everything is accepted. For development only.
    case noValidation
    /// The application decides besides the system: the server must please both.
    case sslPinning(_ provider: any WPNPinningProvider)
}

/// The application's own judgement about a server's certificates.
public protocol WPNPinningProvider {
    /// Judges a server. Called on a background thread in the handshake of every connection, before anything is sent.
    ///
    /// - Parameter challenge: the server's challenge. The certificates are in `challenge.protectionSpace.serverTrust`, to be
    ///   read with `SecTrustCopyCertificateChain` and `SecCertificateCopyData`.
    /// - Returns: true when the system's own check shall decide; false ends the request with the reason
    ///   ``WPNErrorReason/network_sslError``.
    func validate(challenge: URLAuthenticationChallenge) -> Bool
}

extension WPNSSLValidationStrategy {
    /// The answer to a challenge, as a delegate of `URLSession` gives it.
    func answer(
        to challenge: URLAuthenticationChallenge
    ) -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
        switch self {
        case .default:
            return (.performDefaultHandling, nil)
        case .noValidation:
            guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
            return (.useCredential, URLCredential(trust: trust))
        case .sslPinning(let provider):
            return provider.validate(challenge: challenge)
                ? (.performDefaultHandling, nil) : (.cancelAuthenticationChallenge, nil)
        }
    }

    /// The transport's judge for the servers of a URL; nil leaves them to the system.
    ///
    /// - Parameter refusal: how a server that the application refuses ends the request.
    func judge(of url: URL, refusal: ServerTrustDecision) -> ServerTrustJudge? {
        if case .default = self { return nil }
        return { server, decided in
            switch answer(to: URLAuthenticationChallenge(server: server, of: url)).disposition {
            case .useCredential: decided(.accept)
            case .performDefaultHandling: decided(.asVerified)
            case .cancelAuthenticationChallenge, .rejectProtectionSpace: decided(refusal)
            @unknown default: decided(refusal)
            }
        }
    }
}
