/// The media type of the request bodies that a resource reads.
enum BodyType: String, Sendable {
    case json = "application/json"
    /// The form of OAuth 2.0 (RFC 6749, appendix B), which a web page can send without a preflight: only for resources
    /// that require credentials.
    case form = "application/x-www-form-urlencoded"
    /// The body is signed at most.
    case unread = "*/*"

    /// Whether the type of a request is this one.
    ///
    /// A device may omit it: its requests are signed or encrypted. A tool may not, because any web page can send a
    /// request without media type and without a preflight.
    func fits(_ request: ServerRequest, on face: APISurface) -> Bool {
        guard self != .unread else { return true }
        guard let type = request.mediaType else { return request.body.isEmpty || !face.isForTools }
        return type == rawValue || (face == .lab && request.body.isEmpty)
    }
}

extension APISurface {
    /// Whether it is called by tools of operators and testers, on whose machines browsers run; the others are called by
    /// devices, which authenticate each request.
    var isForTools: Bool {
        switch self {
        case .backOffice, .lab: true
        case .device, .mobileToken: false
        }
    }
}
