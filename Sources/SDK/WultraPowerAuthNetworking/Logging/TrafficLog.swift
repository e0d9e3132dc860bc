import Foundation
import HTTPClient
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
