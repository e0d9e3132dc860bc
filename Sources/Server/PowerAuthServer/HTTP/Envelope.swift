/// `{"requestObject": …}`, the form of every plain request (rest-api.md, section 2.1).
struct RequestEnvelope<Content: Decodable>: Decodable {
    let requestObject: Content
}

/// `{"status":"OK","responseObject": …}`.
struct ResponseEnvelope<Content: Encodable>: Encodable {
    let status = "OK"
    let responseObject: Content

    private enum CodingKeys: CodingKey {
        case status, responseObject
    }
}

/// `{"status":"OK"}`.
struct EmptyEnvelope: Encodable {
    let status = "OK"

    private enum CodingKeys: CodingKey {
        case status
    }
}

/// `{"status":"ERROR","responseObject":{"code":…,"message":…}}`.
struct ErrorEnvelope: Encodable {
    let status = "ERROR"
    let responseObject: ErrorObject

    private enum CodingKeys: CodingKey {
        case status, responseObject
    }
}

/// The content of an error answer; the back office repeats the message as a localised one.
struct ErrorObject: Encodable {
    let code: String
    let message: String
    var localizedMessage: String?
    var currentRecoveryPukIndex: Int?
}
