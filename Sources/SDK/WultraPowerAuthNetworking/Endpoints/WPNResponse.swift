/// The envelope of every answer (networking.md, section 3.2). Unknown members are ignored.
open class WPNResponseBase: Decodable {
    /// How the server reports that it has executed the request.
    public enum Status: String, Decodable, Sendable {
        /// It has.
        case Ok = "OK"
        /// It has not; ``WPNResponseBase/responseError`` states why.
        case Error = "ERROR"
    }

    /// The status of the server.
    public var status: Status = .Error
    /// Why the server refused; nil unless ``status`` is `.Error`.
    public var responseError: WPNRestApiError?

    /// Reads the status, and the error where there is one.
    ///
    /// - Throws: for a missing or unknown status, and for an error without code or message.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        status = try container.decode(Status.self, forKey: .status)
        if status == .Error { responseError = try container.decode(WPNRestApiError.self, forKey: .responseObject) }
    }
}

/// An answer with a payload.
open class WPNResponse<T: Decodable>: WPNResponseBase {
    /// The payload; nil unless ``WPNResponseBase/status`` is `.Ok`.
    public var responseObject: T?

    /// Reads the envelope and its payload.
    ///
    /// - Throws: also for a missing payload of a successful answer, unless `T` is optional.
    public required init(from decoder: any Decoder) throws {
        try super.init(from: decoder)
        guard status == .Ok else { return }
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        // An optional takes `null`, but not the missing key that the server has in place of it.
        if T.self is any ExpressibleByNilLiteral.Type, !container.contains(.responseObject) { return }
        responseObject = try container.decode(T.self, forKey: .responseObject)
    }
}

/// An answer with a list.
open class WPNResponseArray<T: Decodable>: WPNResponseBase {
    /// The list, in the server's order; nil unless ``WPNResponseBase/status`` is `.Ok`.
    public var responseObject: [T]?

    /// Reads the envelope and its list.
    ///
    /// - Throws: also for a missing list of a successful answer.
    public required init(from decoder: any Decoder) throws {
        try super.init(from: decoder)
        guard status == .Ok else { return }
        responseObject = try decoder.container(keyedBy: EnvelopeKey.self).decode([T].self, forKey: .responseObject)
    }
}

private enum EnvelopeKey: CodingKey { case status, responseObject }
