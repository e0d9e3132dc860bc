import Foundation
public import FoundationNetworking

/// Changes requests before they are sent (sdk.md, section 5.3).
public protocol PowerAuthHttpRequestInterceptor: AnyObject {
    /// Changes one request. Called on a background thread, after the SDK set all its headers.
    func processRequest(_ request: NSMutableURLRequest)
}

/// Adds one header to each request. Immutable. Thread rule: any thread.
public class PowerAuthCustomHeaderRequestInterceptor: PowerAuthHttpRequestInterceptor, @unchecked Sendable {
    // Safe to share: both properties are constants, and the subclass of this module adds none.

    /// Name of the header.
    public let headerKey: String
    /// Value that is added to it.
    public let headerValue: String

    /// - Parameters:
    ///   - headerKey: name of the header.
    ///   - value: value that is added to an existing one, or set.
    public init(headerKey: String, value: String) {
        self.headerKey = headerKey
        headerValue = value
    }

    /// Adds the header.
    public func processRequest(_ request: NSMutableURLRequest) {
        request.addValue(headerValue, forHTTPHeaderField: headerKey)
    }
}

/// Adds HTTP basic authentication to each request.
public final class PowerAuthBasicHttpAuthenticationRequestInterceptor: PowerAuthCustomHeaderRequestInterceptor,
    @unchecked Sendable
{
    /// - Parameters:
    ///   - username: the user; must not contain a colon.
    ///   - password: the password.
    public init(username: String, password: String) {
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        super.init(headerKey: "Authorization", value: "Basic " + credentials)
    }
}
