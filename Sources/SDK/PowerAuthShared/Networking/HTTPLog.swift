import Foundation
import HTTPClient
import Synchronization

/// Log entries about requests (sdk.md, section 4.5). Thread rule: any thread.
///
/// A verbose log has headers, and bodies that were not encrypted; those that were stay secret.
enum HTTPLog {
    private static let hasWarned = Atomic(false)

    static func write(_ request: HTTPRequest, isEncrypted: Bool) {
        guard PowerAuthLog.isEnabled else { return }
        if request.url.scheme?.lowercased() == "http", !hasWarned.exchange(true, ordering: .relaxed) {
            PowerAuthLog.write("WARNING: Requests go over HTTP, which can be read and changed on the way; use HTTPS.")
        }
        PowerAuthLog.write("HTTP \(request.method) request: → \(request.url)")
        guard PowerAuthLog.isVerbose else { return }
        PowerAuthLog.write("- Headers: \(request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "; "))")
        writeBody(request.body, isEncrypted: isEncrypted)
    }

    static func write(_ response: HTTPResponse, to url: URL, isEncrypted: Bool) {
        PowerAuthLog.write("HTTP response \(response.status): ← \(url)")
        // An error is in plain text even where the answer would be encrypted.
        if PowerAuthLog.isVerbose { writeBody(response.body, isEncrypted: isEncrypted && response.status == 200) }
    }

    static func write(_ error: NSError, to url: URL) {
        PowerAuthLog.write("HTTP request failed: ← \(url): \(error.localizedDescription)")
    }

    private static func writeBody(_ body: Data, isEncrypted: Bool) {
        PowerAuthLog.write(
            isEncrypted ? "- Body: \(body.count) encrypted bytes" : "- Body: \(String(decoding: body, as: UTF8.self))")
    }
}
