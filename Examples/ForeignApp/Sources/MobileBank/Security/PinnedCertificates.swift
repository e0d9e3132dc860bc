// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraPowerAuthNetworking

/// Trusts servers of the bank only: the system must accept the chain, and one of its certificates is in the app.
public final class PinnedCertificates {
    private let pinned: Set<Data>

    public init(certificates: [Data]) { pinned = Set(certificates) }

    /// The `.cer` files of a bundle.
    public convenience init(bundle: Bundle) {
        let files = bundle.urls(forResourcesWithExtension: "cer", subdirectory: nil) ?? []
        self.init(certificates: files.compactMap { try? Data(contentsOf: $0 as URL) })
    }

    func accepts(_ challenge: URLAuthenticationChallenge) -> Bool {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust, SecTrustEvaluateWithError(trust, nil)
        else { return false }
        return (0..<SecTrustGetCertificateCount(trust)).contains { index in
            guard let certificate = SecTrustGetCertificateAtIndex(trust, index) else { return false }
            return accepts(SecCertificateCopyData(certificate) as Data)
        }
    }

    func accepts(_ certificate: Data) -> Bool { pinned.contains(certificate) }
}

extension PinnedCertificates: WPNPinningProvider {
    public func validate(challenge: URLAuthenticationChallenge) -> Bool { accepts(challenge) }
}

extension PinnedCertificates: PowerAuthClientSslValidationStrategy {
    public func validateSsl(
        for session: URLSession, challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if accepts(challenge), let trust = challenge.protectionSpace.serverTrust {
            completionHandler(.useCredential, URLCredential(trust: trust))
        } else {
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
}
