// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuthShared
import Synchronization

/// Log entries about requests and answers (networking.md, section 11.4). Bodies are logged at the level `debug` only,
/// including those that were encrypted.
enum TrafficLog {
    private static let warnedAbout = Mutex<Set<URL>>([])

    static func write(_ request: HTTPRequest, baseURL: URL) {
        if request.url.scheme?.lowercased() == "http", warnedAbout.withLock({ $0.insert(baseURL).inserted }) {
            WPNLogger.warning(
                "Using HTTP for communication may create a serious security issue! Use HTTPS in production.")
        }
        guard WPNLogger.logHttpTraffic else { return }
        WPNLogger.info(
            """
            WPNHttpClient Request
            - URL: POST - \(request.url.absoluteString)
            - Headers: \(WPNLogger.httpHeadersToSkip.render(request.headers))
            """)
        WPNLogger.debug("- Body: \(text(of: request.body))")
    }

    static func write(_ response: HTTPResponse, to url: URL) {
        guard WPNLogger.logHttpTraffic else { return }
        WPNLogger.info(
            """
            WPNHttpClient Response
            - URL: POST - \(url.absoluteString)
            - Status code: \(response.status)
            - Headers: \(WPNLogger.httpHeadersToSkip.render(response.headers))
            """)
        WPNLogger.debug("- Body: \(text(of: response.body))")
    }

    static func write(_ error: NSError, to url: URL) {
        WPNLogger.error("WPNHttpClient Response error for \(url.absoluteString): \(error.localizedDescription)")
    }

    static func writeDecrypted(_ body: Data, from url: URL) {
        guard WPNLogger.logHttpTraffic else { return }
        WPNLogger.debug("Decrypted response from \(url.absoluteString):\n\(text(of: body))")
    }

    static func writeUnreadable(_ body: Data, from url: URL, _ error: any Error) {
        WPNLogger.error("The response from \(url.absoluteString) cannot be used: \(error.localizedDescription)")
        guard WPNLogger.logHttpTraffic else { return }
        WPNLogger.debug("The unusable response from \(url.absoluteString):\n\(text(of: body))")
    }

    private static func text(of body: Data) -> String {
        if body.isEmpty { return "empty body" }
        return String(data: body, encoding: .utf8)
            ?? "Data could not be stringified. Here is a base64 encoded version of it: \(body.base64EncodedString())"
    }
}

/// Names of HTTP headers that the log leaves out; capital letters make no difference (networking.md, section 11.3).
///
/// Thread rule: any thread.
public final class HeaderBlockList: Sendable {
    private let names = Mutex([
        // The vendor's list, with its repetition.
        "accept-language", "content-type", "content-length", "accept-language", "transfer-encoding", "date", "server",
        "user-agent", "connection", "x-content-type-options", "x-xss-protection", "cache-control", "pragma", "expires",
        "x-frame-options", "vary",
    ])

    /// Adds a name.
    public func add(element: String) { add(elements: [element]) }
    /// Adds names.
    public func add(elements: [String]) { names.withLock { $0 += elements.map { $0.lowercased() } } }

    /// Removes a name, however often it was added.
    public func remove(element: String) {
        let name = element.lowercased()
        names.withLock { names in names.removeAll { $0 == name } }
    }

    /// Removes names, each of them once as often as it is given: one that was added twice stays.
    public func removeAll(elements: [String]) {
        names.withLock { names in
            for element in elements {
                if let index = names.firstIndex(of: element.lowercased()) { names.remove(at: index) }
            }
        }
    }

    /// Removes all names.
    public func removeAll() { names.withLock { $0 = [] } }
    /// The names, in small letters.
    public func headersToSkip() -> [String] { names.withLock { $0 } }

    func render(_ headers: [(name: String, value: String)]) -> String {
        guard !headers.isEmpty else { return "no headers" }
        let skipped = Set(headersToSkip())
        let shown = headers.filter { header in
            let name = header.name.lowercased()
            return !skipped.contains(name) && !Self.isSecret(name)
        }
        return "\(headers.count - shown.count) filtered out" + shown.map { "\n  - \($0.name): \($0.value)" }.joined()
    }

    /// Headers that let their reader act for the sender.
    private static func isSecret(_ name: String) -> Bool {
        name.hasPrefix("x-powerauth-") || ["authorization", "cookie", "set-cookie"].contains(name)
    }
}
