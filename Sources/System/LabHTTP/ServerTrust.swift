// SPDX-License-Identifier: Apache-2.0

import CCurl
import Dispatch
package import Foundation
import Synchronization

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
    @Sendable (_ server: ServerCertificates, _ decided: @escaping @Sendable (ServerTrustDecision) -> Void) -> Void

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

/// How one transfer verifies its server, and the decision of the application's judge in the handshake.
///
/// The judge may take its time. A transfer with one therefore has a thread of its own, on which the judge is asked and
/// its answer waited for.
///
/// Thread rule: made by the sender, configured and asked on the transfer's thread; ``giveUp()`` and the judge's answer
/// may come from any thread.
///
/// Unchecked: `verification` and `host` are written before the transfer starts and then read by libcurl only; they live
/// as long as this object, which the transfer holds until its connection is closed. The rest is behind a mutex.
final class CertificateJudgement: @unchecked Sendable {
    private enum Outcome {
        case undecided, timedOut
        case decided(ServerTrustDecision)
    }

    private let trust: ServerTrust
    private let url: URL
    private let timeout: TimeInterval?
    private let outcome = Mutex(Outcome.undecided)
    private let answered = DispatchSemaphore(value: 0)
    private let verification = UnsafeMutablePointer<ccurl_verification>.allocate(capacity: 1)
    private let host: UnsafeMutablePointer<CChar>

    init(_ request: HTTPRequest) {
        trust = request.serverTrust
        url = request.url
        timeout = request.timeout
        let name = Array((request.url.host ?? "").trimmingCharacters(in: ["[", "]"]).utf8CString)
        host = .allocate(capacity: name.count)
        host.initialize(from: name, count: name.count)
        verification.initialize(to: ccurl_verification())
    }

    deinit {
        verification.deallocate()
        host.deallocate()
    }

    /// The error for a connection that the judge has cancelled, or did not decide about in time; nil otherwise.
    var failure: NSError? {
        switch outcome.withLock({ $0 }) {
        case .decided(.cancel):
            CurlError.error(.cancelled, "The application refused the server's certificate.", url: url)
        case .timedOut:
            CurlError.error(.timedOut, "The application did not decide about the server's certificate.", url: url)
        default: nil
        }
    }

    func giveUp() { answered.signal() }

    /// Gives libcurl its part. This object must live as long as the transfer.
    func configure(_ handle: UnsafeMutableRawPointer) {
        guard url.scheme?.lowercased() == "https" else { return }
        // The system's authorities stay: they are found in the directory that libcurl has by default.
        if let path = trust.authoritiesPath { _ = ccurl_set_string(handle, CURLOPT_CAINFO, path) }
        if let authorities = trust.authorities {
            _ = ccurl_set_string(handle, CURLOPT_CAPATH, nil)
            setBlob(handle, CURLOPT_CAINFO_BLOB, authorities)
        }
        if let identity = trust.identity {
            setBlob(handle, CURLOPT_SSLCERT_BLOB, identity.store)
            setBlob(handle, CURLOPT_SSLKEY_BLOB, identity.store)
            _ = ccurl_set_string(handle, CURLOPT_KEYPASSWD, identity.password)
        }
        verification.pointee.time = trust.time.map { Int64($0.timeIntervalSince1970) } ?? 0
        if trust.judge != nil {
            verification.pointee.judge = judgeServer
            verification.pointee.context = Unmanaged.passUnretained(self).toOpaque()
            verification.pointee.host = UnsafePointer(host)
            // The judge sees every server itself: none of its connections is shared, and none is resumed. It may also overrule a wrong name, so the name is checked together with the certificates.
            for option in [CURLOPT_SSL_SESSIONID_CACHE, CURLOPT_SSL_VERIFYHOST] {
                _ = ccurl_set_long(handle, option, 0)
            }
        }
        _ = ccurl_set_verification(handle, verification)
    }

    private func setBlob(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ bytes: Data) {
        _ = bytes.withUnsafeBytes { ccurl_set_blob(handle, option, $0.baseAddress, $0.count) }
    }

    fileprivate func judge(_ server: ServerCertificates) -> ccurl_judgement {
        guard let judge = trust.judge else { return CCURL_AS_VERIFIED }
        judge(server) { [self] decision in
            self.outcome.withLock { outcome in
                if case .undecided = outcome { outcome = .decided(decision) }
            }
            answered.signal()
        }
        let isInTime = answered.wait(timeout: timeout.map { .now() + $0 } ?? .distantFuture) == .success
        let ending = outcome.withLock { outcome in
            if !isInTime, case .undecided = outcome { outcome = .timedOut }
            return outcome
        }
        return switch ending {
        case .decided(.accept): CCURL_ACCEPTED
        case .decided(.asVerified): CCURL_AS_VERIFIED
        case .decided(.cancel), .decided(.reject), .timedOut, .undecided: CCURL_REFUSED
        }
    }
}

/// The shim's callback in a handshake, called on the transfer's thread.
private func judgeServer(
    _ context: UnsafeMutableRawPointer?, _ verified: Int, _ chain: UnsafePointer<ccurl_certificate>?, _ count: Int
) -> ccurl_judgement {
    guard let context else { return CCURL_REFUSED }
    let judgement = Unmanaged<CertificateJudgement>.fromOpaque(context).takeUnretainedValue()
    return judgement.judge(
        ServerCertificates(
            chain: UnsafeBufferPointer(start: chain, count: count).map { Data(bytes: $0.bytes, count: $0.size) },
            problem: verified == 0 ? nil : String(cString: ccurl_verification_text(verified))))
}
