// Request objects and answers that are the same for several resources of the back office.

/// A request whose only field of its own names an application.
struct ApplicationField: Decodable, Sendable {
    var applicationId: String?
}

/// A request whose only field of its own names an activation.
struct ActivationField: Decodable, Sendable {
    var activationId: String?
}

/// A request that names a callback, an integration or a temporary key.
struct IdentifierField: Decodable, Sendable {
    var id: String?
}

/// What came of removing one of them.
struct RemovedView: Codable {
    let id: String
    let removed: Bool
}

/// A request that names what it changes, beside the new content of it.
struct Identified<Identifier: Decodable & Sendable, Content: Decodable & Sendable>: Decodable, Sendable {
    let id: Identifier?
    let content: Content

    private enum CodingKeys: CodingKey {
        case id
    }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Identifier.self, forKey: .id)
        content = try Content(from: decoder)
    }
}
