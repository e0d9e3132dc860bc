/// One HTTP header that authorises a request (sdk.md, section 5.19). Immutable. Thread rule: any thread.
public final class PowerAuthAuthorizationHttpHeader: Sendable {
    /// Name of the header.
    public let key: String
    /// Value of the header.
    public let value: String

    init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// The header of a signed request, `X-PowerAuth-Authorization`; nil for a nil value.
    public static func authorizationHeader(withValue value: String?) -> PowerAuthAuthorizationHttpHeader? {
        value.map { PowerAuthAuthorizationHttpHeader(key: "X-PowerAuth-Authorization", value: $0) }
    }

    /// The header of a request with a token, `X-PowerAuth-Token`; nil for a nil value.
    public static func tokenHeader(withValue value: String?) -> PowerAuthAuthorizationHttpHeader? {
        value.map { PowerAuthAuthorizationHttpHeader(key: "X-PowerAuth-Token", value: $0) }
    }
}
