// SPDX-License-Identifier: Apache-2.0

/// What all kinds of endpoints have in common (networking.md, section 2.4). Immutable. Thread rule: any thread.
///
/// Unchecked: all properties are constants, here and in the subclasses, which are all in this file.
public class WPNEndpoint<TRequestData: WPNRequestBase, TResponseData: WPNResponseBase>: @unchecked Sendable {
    /// The request's data.
    public typealias RequestData = TRequestData
    /// The answer's data.
    public typealias ResponseData = TResponseData
    /// Takes the answer or the error; the other one is nil.
    public typealias Completion = (TResponseData?, WPNError?) -> Void

    /// Path behind the base URL; a slash at its beginning makes no difference.
    public let endpointURLPath: String
    /// Whether requests and answers are encrypted, and with whose key.
    public let e2ee: WPNE2EEConfiguration

    init(endpointURLPath: String, e2ee: WPNE2EEConfiguration) {
        self.endpointURLPath = endpointURLPath
        self.e2ee = e2ee
    }
}

/// An endpoint whose requests are not signed.
public class WPNEndpointBasic<RequestData: WPNRequestBase, ResponseData: WPNResponseBase>: WPNEndpoint<
    RequestData, ResponseData
>, @unchecked Sendable
{
    /// - Parameters:
    ///   - endpointURLPath: path behind the base URL.
    ///   - e2ee: whether requests and answers are encrypted.
    public override init(endpointURLPath: String, e2ee: WPNE2EEConfiguration) {
        super.init(endpointURLPath: endpointURLPath, e2ee: e2ee)
    }

    /// Makes an endpoint without encryption.
    /// - Parameter endpointURLPath: path behind the base URL.
    public convenience init(endpointURLPath: String) {
        self.init(endpointURLPath: endpointURLPath, e2ee: .notEncrypted)
    }
}

/// An endpoint whose requests are signed with the factors of the activation.
public class WPNEndpointSigned<RequestData: WPNRequestBase, ResponseData: WPNResponseBase>: WPNEndpoint<
    RequestData, ResponseData
>, @unchecked Sendable
{
    /// Identifier that enters the signature; agreed with the server, not the URL.
    public let uriId: String

    /// - Parameters:
    ///   - endpointURLPath: path behind the base URL.
    ///   - uriId: identifier that enters the signature.
    ///   - e2ee: whether requests and answers are encrypted; the server opens signed requests of the activation scope only.
    public init(endpointURLPath: String, uriId: String, e2ee: WPNE2EEConfiguration) {
        self.uriId = uriId
        super.init(endpointURLPath: endpointURLPath, e2ee: e2ee)
    }

    /// Makes an endpoint without encryption.
    /// - Parameters:
    ///   - endpointURLPath: path behind the base URL.
    ///   - uriId: identifier that enters the signature.
    public convenience init(endpointURLPath: String, uriId: String) {
        self.init(endpointURLPath: endpointURLPath, uriId: uriId, e2ee: .notEncrypted)
    }
}

/// An endpoint whose requests carry a token instead of a signature.
public class WPNEndpointSignedWithToken<RequestData: WPNRequestBase, ResponseData: WPNResponseBase>: WPNEndpoint<
    RequestData, ResponseData
>, @unchecked Sendable
{
    /// Name of the token, which is created if the SDK has none of that name.
    public let tokenName: String

    /// - Parameters:
    ///   - endpointURLPath: path behind the base URL.
    ///   - tokenName: name of the token.
    ///   - e2ee: whether requests and answers are encrypted.
    public init(endpointURLPath: String, tokenName: String, e2ee: WPNE2EEConfiguration) {
        self.tokenName = tokenName
        super.init(endpointURLPath: endpointURLPath, e2ee: e2ee)
    }

    /// Makes an endpoint without encryption.
    /// - Parameters:
    ///   - endpointURLPath: path behind the base URL.
    ///   - tokenName: name of the token.
    public convenience init(endpointURLPath: String, tokenName: String) {
        self.init(endpointURLPath: endpointURLPath, tokenName: tokenName, e2ee: .notEncrypted)
    }
}

/// Whether the requests and answers of an endpoint are encrypted end to end (networking.md, section 6).
public enum WPNE2EEConfiguration: Sendable {
    /// With the key of the application; needs no activation.
    case applicationScope
    /// With the key of the activation.
    case activationScope
    /// Not at all.
    case notEncrypted
}
