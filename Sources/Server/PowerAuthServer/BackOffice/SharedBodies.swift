// Request objects and answers that are the same for several resources of the back office.

/// A request whose only field of its own names an application.
struct ApplicationField: Decodable, Sendable {
    var applicationId: Identifier?
}

/// A request whose only field of its own names an activation.
struct ActivationField: Decodable, Sendable {
    var activationId: Identifier?
}

/// A request that names a callback, an integration or a temporary key.
struct IdentifierField: Decodable, Sendable {
    var id: Identifier?
}

/// The result of removing one of them.
struct RemovedView: Codable {
    let id: Identifier
    let removed: Bool
}

/// A request that names what it changes, beside the new content of it.
struct Identified<ID: Decodable & Sendable, Content: Decodable & Sendable>: Decodable, Sendable {
    let id: ID?
    let content: Content

    private enum CodingKeys: CodingKey {
        case id
    }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(ID.self, forKey: .id)
        content = try Content(from: decoder)
    }
}
