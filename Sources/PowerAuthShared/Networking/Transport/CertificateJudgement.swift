internal import CCurl
internal import Dispatch
internal import Foundation
internal import Synchronization

/// How one transfer verifies its server, and what the application's judge says in the handshake.
///
/// The judge is asked on a thread of its own. Until it has answered, OpenSSL lets the handshake stand still and the
/// transport goes on with its other transfers.
///
/// Thread rule: made by the sender, configured and asked on the transport's thread; the judge answers from any thread.
///
/// Unchecked: `verification` and `host` are written before the transfer starts and then read by libcurl only; they live
/// as long as this object, which the transfer holds until its connection is closed. The rest is behind a mutex.
final class CertificateJudgement: @unchecked Sendable {
    private enum Progress {
        case notAsked, asked
        case decided(ServerTrustDecision)
    }

    private let trust: ServerTrust
    private let url: URL
    private let wakeTransport: @Sendable () -> Void
    private let progress = Mutex(Progress.notAsked)
    private let verification = UnsafeMutablePointer<ccurl_verification>.allocate(capacity: 1)
    private let host: UnsafeMutablePointer<CChar>

    private static let judges = DispatchQueue(label: "com.wultra.powerauth.tls", attributes: .concurrent)

    init(_ request: HTTPRequest, wakeTransport: @escaping @Sendable () -> Void) {
        trust = request.serverTrust
        url = request.url
        self.wakeTransport = wakeTransport
        let name = Array((request.url.host ?? "").trimmingCharacters(in: ["[", "]"]).utf8CString)
        host = .allocate(capacity: name.count)
        host.initialize(from: name, count: name.count)
        verification.initialize(to: ccurl_verification())
    }

    deinit {
        verification.deallocate()
        host.deallocate()
    }

    /// The error for a connection that the application cancelled; nil when it did not.
    var cancellation: NSError? {
        guard case .decided(.cancel) = progress.withLock({ $0 }) else { return nil }
        return CurlError.error(.cancelled, "The application refused the server's certificate.", url: url)
    }

    /// Gives libcurl its part. This object must live as long as the transfer.
    func configure(_ handle: UnsafeMutableRawPointer) {
        guard url.scheme?.lowercased() == "https" else { return }
        // The system's authorities stay: they are found in the directory that libcurl has by default.
        if let path = trust.authoritiesPath { _ = ccurl_set_string(handle, CURLOPT_CAINFO, path) }
        verification.pointee.time = Int64((trust.time ?? Date()).timeIntervalSince1970)
        if trust.judge != nil {
            verification.pointee.judge = judgeServer
            verification.pointee.context = Unmanaged.passUnretained(self).toOpaque()
            verification.pointee.host = UnsafePointer(host)
            // The judge sees every server itself: connections are neither taken from others nor left to them, and none
            // is resumed. It may also overrule a wrong name, so the name is checked together with the certificates.
            for option in [CURLOPT_FRESH_CONNECT, CURLOPT_FORBID_REUSE] { _ = ccurl_set_long(handle, option, 1) }
            for option in [CURLOPT_SSL_SESSIONID_CACHE, CURLOPT_SSL_VERIFYHOST] {
                _ = ccurl_set_long(handle, option, 0)
            }
        }
        _ = ccurl_set_verification(handle, verification)
    }

    /// Answers OpenSSL; asks the judge the first time.
    fileprivate func judge(_ server: @autoclosure () -> ServerCertificates) -> ccurl_judgement {
        let before = progress.withLock { progress in
            defer { if case .notAsked = progress { progress = .asked } }
            return progress
        }
        switch before {
        case .notAsked:
            let server = server()
            guard let judge = trust.judge else { return CCURL_AS_VERIFIED }
            Self.judges.async { [self] in
                judge(server) { [self] decision in
                    progress.withLock { progress in
                        if case .asked = progress { progress = .decided(decision) }
                    }
                    wakeTransport()
                }
            }
            return CCURL_LATER
        case .asked: return CCURL_LATER
        case .decided(.accept): return CCURL_ACCEPTED
        case .decided(.asVerified): return CCURL_AS_VERIFIED
        case .decided(.cancel), .decided(.reject): return CCURL_REFUSED
        }
    }
}

/// The shim's callback in a handshake, called on the transport's thread.
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
