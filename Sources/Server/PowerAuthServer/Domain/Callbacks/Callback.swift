import Foundation

/// The kind of changes that a callback reports.
enum CallbackType: String, CaseIterable, Sendable {
    case activationStatusChange = "ACTIVATION_STATUS_CHANGE"
    case operationStatusChange = "OPERATION_STATUS_CHANGE"
}

/// A URL that is called when something changes (server.md, section 16.1).
struct Callback: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let application: Application
    var name: String
    var type: CallbackType
    var url: String
    /// The payload's fields beside type and identifier.
    var attributes: [String]
    var authentication: CallbackAuthentication
    /// Milliseconds; nil means the policy's.
    var retention: Int64?
    /// Milliseconds; nil means the policy's.
    var initialBackoff: Int64?
    /// Nil means the policy's.
    var maxAttempts: Int?
}

/// One message of a callback, on its way.
struct CallbackEvent: Sendable {
    let row: Int64
    let callback: Callback
    /// The JSON body.
    let payload: String
    /// The same in all attempts.
    let idempotencyKey: String
    /// How many attempts were made, this one included.
    let attempt: Int
}

/// One call in the delivery log.
struct CallbackAttempt: Sendable {
    let idempotencyKey: String
    let payload: String
    /// PENDING, PROCESSING, FAILED or COMPLETED: the state of the whole message.
    let status: String
    /// Counted from 1.
    let number: Int
    /// Nil when no answer came.
    let httpStatus: Int?
    /// Why no answer came.
    let failure: String?
    let called: ServerTime
}

/// How callbacks are delivered, with the defaults of server.md, sections 16.4 and 25. Times are milliseconds.
public struct CallbackPolicy: Sendable {
    /// How often a message is tried.
    public var maxAttempts = 1
    /// The time from the first attempt to the second.
    public var initialBackoff: Int64 = 2_000
    /// The growth factor of the time between attempts.
    public var backoffMultiplier = 1.5
    /// The longest time between attempts.
    public var maxBackoff: Int64 = 32_000
    /// How long a message and its attempts are kept after the last one.
    public var retention: Int64 = 2_592_000_000
    /// The hosts that may be called for a message or its access token, `*` for any text in a name; nil allows every host.
    public var allowedHosts: [String]?
    /// The folder that key and trust stores must be in; nil means `keystores` in the server's directory.
    public var keyStores: String?
    /// How many targets may be called at a time.
    public var concurrentCalls = 16
    /// How long a target may take to accept a connection.
    public var connectTimeout: Int64 = 5_000
    /// How long a target may take to answer.
    public var responseTimeout: Int64 = 60_000
    /// How many failures in a row open the circuit; negative never opens it.
    public var failureThreshold = 200
    /// How long after the last failure an open circuit lets no call through.
    public var resetTimeout: Int64 = 60_000

    /// The defaults.
    public init() {}

    /// How long an attempt may be under way before it counts as lost with its process.
    var rerunAfter: Int64 { connectTimeout + responseTimeout + 10_000 }

    /// The host of a URL in lower case. Nil where two readers of the URL might find two hosts: with an escape, a control
    /// character, a backslash or a user in it.
    private static func host(of url: String) -> String? {
        let authority = url.firstRange(of: "://").map { url[$0.upperBound...].prefix { !"/?#".contains($0) } } ?? ""
        let isPlain = authority.unicodeScalars.allSatisfy {
            $0.isASCII && $0.value > 0x20 && !"%\\@\u{7F}".contains(Character($0))
        }
        guard isPlain, let host = URLComponents(string: url)?.host else { return nil }
        return host.lowercased()
    }

    /// Whether a URL may be called.
    func allows(_ url: String) -> Bool {
        guard let allowedHosts else { return true }
        guard let host = Self.host(of: url) else { return false }
        return allowedHosts.contains { Wildcard.matches($0.lowercased(), host) }
    }
}
