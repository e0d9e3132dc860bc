import CCurl
import Dispatch
import Foundation
import Synchronization

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

    /// Ends the wait for the judge.
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

    /// Asks the judge and waits for its answer.
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
