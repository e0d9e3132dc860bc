/// State of a REST response (sdk.md, section 4.4).
public enum PowerAuthRestApiResponseStatus: Int, Sendable {
    /// The server returned `OK`.
    case OK = 0
    /// The server returned `ERROR`, or anything but `OK`.
    case ERROR = 1
}

/// The `responseObject` of an error response. Immutable. Thread rule: any thread.
public final class PowerAuthRestApiError: @unchecked Sendable {
    // Safe to share: every property is a constant, and `additionalInfo` holds only values that the JSON parser made
    // (strings, numbers, arrays, dictionaries), which are never mutated.

    /// The server's error code such as `ERR_ACTIVATION`, nil when it is missing or not a string.
    public let code: String!
    /// The server's text, nil when it is missing or not a string.
    public let message: String!
    /// Every other member of the object.
    public let additionalInfo: [AnyHashable: Any]!

    /// Index of the recovery PUK that the server expects next, or -1 when it did not say.
    public var currentRecoveryPukIndex: Int {
        additionalInfo["currentRecoveryPukIndex"] as? Int ?? -1
    }

    /// - Parameter object: the decoded `responseObject`.
    package init(object: [String: Any]) {
        code = object["code"] as? String
        message = object["message"] as? String
        var others: [AnyHashable: Any] = [:]
        for (key, value) in object where key != "code" && key != "message" { others[key] = value }
        additionalInfo = others
    }
}

/// The server's error answer, found in `userInfo` under ``PowerAuthErrorDomain`` of a network error
/// (sdk.md, section 4.4). Immutable. Thread rule: any thread.
public final class PowerAuthRestApiErrorResponse: Sendable {
    /// Always `.ERROR`.
    public let status = PowerAuthRestApiResponseStatus.ERROR
    /// The HTTP status; 200 if only the body reports the failure.
    public let httpStatusCode: UInt
    /// The server's error; nil if the body has no `responseObject` that is a JSON object.
    public let responseObject: PowerAuthRestApiError!

    /// - Parameters:
    ///   - httpStatusCode: the HTTP status of the response.
    ///   - body: the decoded JSON body; an empty dictionary when there was none.
    package init(httpStatusCode: UInt, body: [String: Any]) {
        self.httpStatusCode = httpStatusCode
        responseObject = (body["responseObject"] as? [String: Any]).map(PowerAuthRestApiError.init(object:))
    }
}
