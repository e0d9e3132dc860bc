// SPDX-License-Identifier: Apache-2.0

import CCurl
import Foundation
import Synchronization

/// One request inside libcurl: the easy handle, what it points to, and what it has received.
///
/// Thread rule: made by the sender, then used only by the thread that drives it, the transport's or its own; ``cancel()``
/// alone may come from any thread.
///
/// Unchecked: the mutable members are touched by the driving thread only once the transfer is handed over, and the
/// handover goes through the transport's mutex or the start of the thread.
final class CurlTransfer: HTTPExchange, @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let completion: @Sendable (Result<HTTPResponse, NSError>) -> Void
    private let wakeTransport: @Sendable () -> Void
    private let cancelled = Atomic(false)
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private let judgement: CertificateJudgement
    private var body = Data()
    private var headers: [(name: String, value: String)] = []
    private var progress: Double = 0
    private var attempts = 0

    /// - Returns: nil if libcurl has no memory for a handle.
    init?(
        _ request: HTTPRequest, wakeTransport: @escaping @Sendable () -> Void,
        completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
    ) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.request = request
        self.wakeTransport = wakeTransport
        self.completion = completion
        judgement = CertificateJudgement(request)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headerLines)
        errorText.deallocate()
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        judgement.giveUp()
        wakeTransport()
    }

    /// Gives libcurl everything it needs. The transfer must stay alive until it is removed from libcurl.
    func configure() {
        // Options of these kinds fail only for lack of memory; the transfer then fails by itself.
        _ = ccurl_set_string(handle, CURLOPT_URL, request.url.absoluteString)
        _ = ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        _ = ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        _ = ccurl_set_long(handle, CURLOPT_TCP_NODELAY, 1)
        _ = ccurl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        setLimit(CURLOPT_TIMEOUT_MS, request.timeout)
        setLimit(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout ?? request.timeout)
        if !request.sharesConnection || request.isJudged {
            for option in [CURLOPT_FRESH_CONNECT, CURLOPT_FORBID_REUSE] { _ = ccurl_set_long(handle, option, 1) }
        }
        if isLoopback {
            // A proxy from the environment could not reach this machine's own server.
            _ = ccurl_set_string(handle, CURLOPT_PROXY, "")
        }
        judgement.configure(handle)
        if request.method == "POST" || !request.body.isEmpty {
            _ = request.body.withUnsafeBytes {
                ccurl_set_body(handle, $0.baseAddress ?? UnsafeRawPointer(errorText), $0.count)
            }
        }
        _ = ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method)
        // Without this libcurl waits up to a second for "100 Continue" before it sends a large body.
        headerLines = curl_slist_append(headerLines, "Expect:")
        for header in request.headers {
            headerLines = curl_slist_append(headerLines, "\(header.name): \(header.value)")
        }
        _ = ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headerLines)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_set_write_function(handle, receiveBody, context)
        _ = ccurl_set_header_function(handle, receiveHeaderLine, context)
        if request.progress != nil { _ = ccurl_set_progress(handle, reportProgress, context) }
        _ = ccurl_set_before_request(handle, admitRequest, context)
    }

    private func setLimit(_ option: CURLoption, _ seconds: TimeInterval?) {
        guard let seconds else { return }
        // To libcurl zero is no limit.
        _ = ccurl_set_long(handle, option, max(1, Int((seconds * 1000).rounded(.up))))
    }

    func finish(_ code: CURLcode) {
        if isRepetition {
            let text = "The connection was lost before the server answered."
            completion(.failure(CurlError.error(.networkConnectionLost, text, url: request.url)))
        } else if isCancelled {
            completion(.failure(CurlError.error(.cancelled, "The request was cancelled.", url: request.url)))
        } else if code == CURLE_OK {
            var status = 0
            _ = ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
            advance(to: 1)
            completion(.success(HTTPResponse(status: status, headers: headers, body: body)))
        } else {
            var verified = 0
            _ = ccurl_get_long(handle, CURLINFO_SSL_VERIFYRESULT, &verified)
            completion(
                .failure(
                    judgement.failure
                        ?? CurlError.error(
                            code, detail: String(cString: errorText), verified: verified, url: request.url)))
        }
    }

    /// Whether libcurl wanted to send the request a second time.
    private var isRepetition: Bool { attempts > 1 }

    /// Counts how often the request is sent, and allows one.
    ///
    /// When a connection that was used before breaks without an answer, libcurl sends the request again on a new one.
    /// The server may have done the work already; a signed request would be a replay to it. The original's engine does
    /// not repeat such requests either.
    fileprivate func admit() -> Bool {
        attempts += 1
        return !isRepetition
    }

    private var isLoopback: Bool {
        let host = request.url.host ?? ""
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// Takes a line of the header. Another status line begins the header of another response, as after an interim one.
    fileprivate func append(headerLine line: String) {
        if line.hasPrefix("HTTP/") { headers = [] }
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        headers.append((String(line[..<colon]), value))
    }

    fileprivate func advance(sent: Int64, received: Int64, expected: Int64) {
        let response = expected > 0 ? Double(received) / Double(expected) : 0
        advance(to: request.body.isEmpty ? response : (Double(sent) / Double(request.body.count) + response) / 2)
    }

    private func advance(to fraction: Double) {
        guard fraction > progress, fraction <= 1 else { return }
        progress = fraction
        request.progress?(fraction)
    }

    /// Takes bytes of the body; refuses more than the limit, which ends the transfer.
    fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= request.largestResponse else { return 0 }
        body.append(contentsOf: bytes)
        return bytes.count
    }
}

/// libcurl's callback for bytes of the body, called on the transport's thread.
private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.append(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

/// libcurl's callback for a line of the header, called on the transport's thread.
private func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    transfer.append(headerLine: String(decoding: line, as: UTF8.self))
    return size * count
}

/// libcurl's callback for the bytes that went and came, called on the transport's thread.
private func reportProgress(
    _ context: UnsafeMutableRawPointer?, _ expected: curl_off_t, _ received: curl_off_t, _ toSend: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    guard let context else { return 1 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.advance(sent: Int64(sent), received: Int64(received), expected: Int64(expected))
    return 0
}

/// libcurl's callback before a request is sent, called on the transport's thread.
private func admitRequest(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.admit() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
