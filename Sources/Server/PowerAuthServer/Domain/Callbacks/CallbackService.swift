import Foundation
import GRDB

/// The configuration of callbacks and the log of their deliveries (server.md, section 16.1).
///
/// Thread rule: worker threads only; all methods block.
struct CallbackService: Sendable {
    let context: ServiceContext

    /// A callback as a caller describes it.
    struct Description: Sendable {
        var applicationId: Identifier?
        var name: String?
        var type: CallbackType?
        var url: String?
        var attributes: [String] = []
        var authentication: CallbackAuthentication?
        var retention: Int64?
        var initialBackoff: Int64?
        var maxAttempts: Int?
    }

    /// - Throws: `invalidRequest`, `invalidURLFormat` for a URL that is not absolute, `invalidApplication`.
    func create(_ description: Description) throws -> Callback {
        try context.change { change in
            let callback = try callback(description, id: Identifiers.uuid(), stored: nil, in: change)
            try CallbackStore.save(change.database, callback, at: change.now)
            return callback
        }
    }

    /// Changes a callback; a secret that is not given stays.
    /// - Throws: `invalidRequest` for an unknown or removed callback or another application's; as ``create(_:)``.
    func update(id: Identifier?, _ description: Description) throws -> Callback {
        try context.change { change in
            guard let id, let stored = try CallbackStore.find(change.database, id: id),
                stored.application.id == description.applicationId
            else { throw ServiceError(.invalidRequest, "no callback \(id?.text ?? "without id") of this application") }
            let callback = try callback(description, id: id, stored: stored, in: change)
            try CallbackStore.save(change.database, callback, at: change.now)
            return callback
        }
    }

    /// - Throws: `invalidRequest` without application, `invalidApplication` for an unknown one.
    func list(applicationId: Identifier?) throws -> [Callback] {
        try context.read { try CallbackStore.list($0, of: Self.application($0, id: applicationId)) }
    }

    /// - Returns: false for an unknown or removed callback.
    /// - Throws: `invalidRequest` without identifier.
    func remove(id: Identifier?) throws -> Bool {
        guard let id else { throw ServiceError(.invalidRequest, "id is missing") }
        let policy = context.policy.callbacks
        return try context.change { try CallbackStore.disable($0.database, id: id, policy, at: $0.now) }
    }

    /// The latest attempts to deliver messages of a callback, newest first.
    /// - Throws: `invalidRequest` without identifier.
    func attempts(callbackId: Identifier?) throws -> [CallbackAttempt] {
        guard let callbackId else { throw ServiceError(.invalidRequest, "id is missing") }
        return try context.read { try CallbackStore.attempts($0, callbackId: callbackId) }
    }

    private func callback(
        _ description: Description, id: Identifier, stored: Callback?, in change: WriteTransaction
    ) throws -> Callback {
        guard let name = description.name, let type = description.type, let url = description.url else {
            throw ServiceError.invalid("name, type and callbackUrl are required")
        }
        try TextLimit.line.check(name, "name")
        let application = try Self.application(change.database, id: description.applicationId)
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme?.lowercased()),
            parsed.host?.isEmpty == false
        else { throw ServiceError(.invalidURLFormat, "\(url) is not an absolute HTTP URL") }
        if let maxAttempts = description.maxAttempts, maxAttempts < 1 {
            throw ServiceError.invalid("requestObject.maxAttempts - must be greater than or equal to 1")
        }
        guard context.policy.callbacks.allows(url) else {
            throw ServiceError.invalid("requestObject.callbackUrl - callbacks may not call \(parsed.host ?? url)")
        }
        var authentication = description.authentication ?? CallbackAuthentication()
        authentication.keepSecrets(of: stored?.authentication)
        try authentication.validate()
        if let oauth2 = authentication.oauth2, oauth2.enabled, let uri = oauth2.tokenUri {
            guard context.policy.callbacks.allows(uri) else {
                throw ServiceError.invalid(
                    "requestObject.authentication.oauth2.tokenUri - callbacks may not call \(URL(string: uri)?.host ?? uri)"
                )
            }
        }
        return Callback(
            id: id, application: application, name: name, type: type, url: url, attributes: description.attributes,
            authentication: authentication, retention: description.retention,
            initialBackoff: description.initialBackoff, maxAttempts: description.maxAttempts)
    }

    private static func application(_ database: Database, id: Identifier?) throws -> Application {
        guard let id else { throw ServiceError(.invalidRequest, "applicationId is missing") }
        guard let application = try ApplicationStore.find(database, id: id) else {
            throw ServiceError(.invalidApplication, "no application \(id)")
        }
        return application
    }
}
