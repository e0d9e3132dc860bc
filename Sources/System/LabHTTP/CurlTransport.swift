// SPDX-License-Identifier: Apache-2.0

import CCurl
import Dispatch
package import Foundation
import Synchronization

/// The transport over libcurl: one thread drives all transfers of the process and keeps their connections for reuse.
///
/// Not over `URLSession`, for two reasons. The strategies for servers' certificates decide within the TLS handshake, before
/// a byte of the request leaves; on Linux, `URLSession` asks no delegate about a certificate. And a request is let out
/// once: where a kept connection has broken, libcurl can be kept from sending again and `URLSession` cannot, and a server
/// counts a signature that arrives twice as a failed attempt.
///
/// A transfer whose server the application judges has a thread and a connection of its own, because the handshake waits
/// for the judge, and because what one judge accepts must not serve others.
///
/// Thread rule: any thread. Completions run on a concurrent background queue, so that a blocking one does not hold
/// up other transfers.
package final class CurlTransport: HTTPTransport {
    /// The transport of this process. Its thread starts with the first request.
    package static let shared = CurlTransport()

    private struct State {
        var submitted: [CurlTransfer] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let multi: MultiHandle
    private let completions = DispatchQueue(label: "com.wultra.powerauth.http", attributes: .concurrent)

    private init() {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        multi = MultiHandle()
    }

    package func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
    ) -> any HTTPExchange {
        let multi = request.isJudged ? MultiHandle() : multi
        guard let transfer = CurlTransfer(request, wakeTransport: { multi.wake() }, completion: completion) else {
            completions.async {
                completion(.failure(CurlError.error(.unknown, "Not enough memory for a request.", url: request.url)))
            }
            return NoExchange()
        }
        if request.isJudged {
            let thread = Thread { Self.drive(transfer, alone: multi) }
            thread.name = "powerauth-https"
            thread.start()
            return transfer
        }
        let starts = state.withLock { state in
            state.submitted.append(transfer)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts {
            let thread = Thread { [self] in drive() }
            thread.name = "powerauth-http"
            thread.start()
        }
        multi.wake()
        return transfer
    }

    /// The thread of one transfer, to its end.
    private static func drive(_ transfer: CurlTransfer, alone multi: MultiHandle) {
        transfer.configure()
        multi.add(transfer.handle)
        var code = CURLE_ABORTED_BY_CALLBACK
        while !transfer.isCancelled {
            multi.perform()
            if let done = multi.nextDone() {
                code = done.1
                break
            }
            multi.wait()
        }
        multi.remove(transfer.handle)
        transfer.finish(code)
    }

    /// The transport's thread: adds what was submitted, removes what was cancelled, waits for the network.
    private func drive() {
        var active: [UnsafeMutableRawPointer: CurlTransfer] = [:]
        while true {
            let submitted = state.withLock { state in
                defer { state.submitted = [] }
                return state.submitted
            }
            for transfer in submitted {
                transfer.configure()
                multi.add(transfer.handle)
                active[transfer.handle] = transfer
            }
            for (handle, transfer) in active where transfer.isCancelled {
                end(handle, CURLE_ABORTED_BY_CALLBACK, &active)
            }
            multi.perform()
            while let (handle, code) = multi.nextDone() { end(handle, code, &active) }
            multi.wait()
        }
    }

    private func end(
        _ handle: UnsafeMutableRawPointer, _ code: CURLcode, _ active: inout [UnsafeMutableRawPointer: CurlTransfer]
    ) {
        multi.remove(handle)
        guard let transfer = active.removeValue(forKey: handle) else { return }
        completions.async { transfer.finish(code) }
    }
}

/// The exchange of a request that was not sent.
package final class NoExchange: HTTPExchange {
    package init() {}
    package func cancel() {}
}

/// libcurl's set of transfers; freed with the last reference.
///
/// Unchecked: the pointer is constant; everything but ``wake()``, which libcurl allows from any thread, is called by one
/// thread only.
private final class MultiHandle: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    /// Longest wait without an event, in milliseconds; libcurl shortens it for its own time-outs.
    private static let longestWait: Int32 = 60_000
    /// Connections that are kept for reuse.
    private static let keptConnections = 64

    init() {
        guard let pointer = curl_multi_init() else { fatalError("libcurl has no memory for a set of transfers.") }
        self.pointer = pointer
        // By default libcurl keeps four for each transfer under way, so that a pause closes what the next one could use.
        _ = ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, Self.keptConnections)
    }

    deinit { curl_multi_cleanup(pointer) }

    func add(_ handle: UnsafeMutableRawPointer) { curl_multi_add_handle(pointer, handle) }
    func remove(_ handle: UnsafeMutableRawPointer) { curl_multi_remove_handle(pointer, handle) }

    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    func nextDone() -> (UnsafeMutableRawPointer, CURLcode)? {
        var code = CURLE_OK
        return ccurl_multi_next_done(pointer, &code).map { ($0, code) }
    }

    /// Blocks until something happens on the network or ``wake()`` is called.
    func wait() { curl_multi_poll(pointer, nil, 0, Self.longestWait, nil) }
    func wake() { curl_multi_wakeup(pointer) }
}

/// Maps libcurl's results to the codes of `NSURLErrorDomain`, which applications of the vendor's SDK know.
package enum CurlError {
    /// The error for a transfer that ended without a response.
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - detail: libcurl's sentence about this transfer; may be empty.
    ///   - verified: the result of the verification of the server's certificates, an `X509_V_…` number.
    ///   - url: the URL of the request.
    static func error(_ code: CURLcode, detail: String, verified: Int = 0, url: URL) -> NSError {
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        if code == CURLE_PEER_FAILED_VERIFICATION {
            return error(urlErrorCode(verified: verified), text, url: url)
        }
        return error(urlErrorCode(code), text, url: url)
    }

    /// The platform's code for an error of a certificate, an `X509_V_…` number of OpenSSL.
    package static func urlErrorCode(verified: Int) -> URLError.Code {
        switch verified {
        case 9: .serverCertificateNotYetValid
        case 10: .serverCertificateHasBadDate
        // No known authority, another host, a bad signature, a strategy that refused.
        default: .serverCertificateUntrusted
        }
    }

    /// An error of `NSURLErrorDomain`.
    package static func error(_ code: URLError.Code, _ text: String, url: URL) -> NSError {
        NSError(
            domain: NSURLErrorDomain, code: code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "\(url.absoluteString): \(text)", NSURLErrorFailingURLErrorKey: url])
    }

    /// An error for text that is not even a URL.
    package static func error(_ code: URLError.Code, _ text: String, path: String) -> NSError {
        NSError(
            domain: NSURLErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: "\(path): \(text)"])
    }

    /// The platform's code for a number of `CURLcode`.
    package static func urlErrorCode(rawValue: UInt32) -> URLError.Code { urlErrorCode(CURLcode(rawValue: rawValue)) }

    private static func urlErrorCode(_ code: CURLcode) -> URLError.Code {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL: .unsupportedURL
        case CURLE_URL_MALFORMAT: .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotFindHost
        case CURLE_COULDNT_CONNECT: .cannotConnectToHost
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_ABORTED_BY_CALLBACK: .cancelled
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .networkConnectionLost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_BAD_CONTENT_ENCODING: .badServerResponse
        case CURLE_TOO_MANY_REDIRECTS: .httpTooManyRedirects
        case CURLE_FILESIZE_EXCEEDED, CURLE_WRITE_ERROR: .dataLengthExceedsMaximum
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .serverCertificateUntrusted
        case CURLE_SSL_CLIENTCERT: .clientCertificateRequired
        case CURLE_SSL_CERTPROBLEM: .clientCertificateRejected
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .secureConnectionFailed
        default: .unknown
        }
    }
}
