/// `{"requestObject": …}` of a request whose object may be missing.
struct OptionalRequest<Content: Decodable>: Decodable {
    let requestObject: Content?
}

/// A reference to an operation or a message.
struct MobileTokenReference: Decodable {
    var id: Identifier?
}

/// An answer with the server's time.
struct TimedEnvelope<Content: Encodable>: Encodable {
    let status = "OK"
    let responseObject: Content
    let currentTimestamp: MobileTokenDate

    private enum CodingKeys: CodingKey {
        case status, responseObject, currentTimestamp
    }
}

/// A page of a list.
struct PageEnvelope<Content: Encodable>: Encodable {
    let status = "OK"
    let page: Int
    let size: Int
    let responseObject: Content

    private enum CodingKeys: CodingKey {
        case status, page, size, responseObject
    }
}
