/// What a resource reads the bodies of requests as, by its media type.
enum BodyType: String, Sendable {
    case json = "application/json"
    /// The form of OAuth 2.0 (RFC 6749, appendix B), which a web page can send without asking: only for resources that
    /// believe nobody without credentials.
    case form = "application/x-www-form-urlencoded"
    /// The body is signed at most.
    case unread = "*/*"

    /// Whether a request says that it holds this.
    ///
    /// A device may leave it unsaid: its requests are signed or encrypted. A tool may not, because that is how a request
    /// looks that a web page of anybody's sends without asking the server first.
    func fits(_ request: ServerRequest, on face: APISurface) -> Bool {
        guard self != .unread else { return true }
        guard let type = request.mediaType else { return request.body.isEmpty || !face.isForTools }
        return type == rawValue || (face == .lab && request.body.isEmpty)
    }
}

extension APISurface {
    /// Whether tools of operators and testers call it, on whose machines browsers run; devices call the others, and prove
    /// who they are with each request.
    var isForTools: Bool {
        switch self {
        case .backOffice, .lab: true
        case .device, .mobileToken: false
        }
    }
}
