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
            while let (handle, code) = multi.nextDone() {
                end(handle, code, &active)
            }
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
