/// One call of the server.
package struct RestRequest: Sendable {
    package let endpoint: RestEndpoint
    /// The factors that sign, as they were when the request was made; needed by signed endpoints.
    package let authentication: PowerAuthAuthentication?
    /// Asked when the request has its turn, before anything is computed; false ends it without a request.
    package let isStillNeeded: @Sendable () -> Bool
    /// Makes the request object, inside the session task in which the request is encrypted and signed.
    package let object: @Sendable (PowerAuthCoreSession) throws -> [String: Any]

    /// - Parameters:
    ///   - endpoint: the endpoint to ask.
    ///   - authentication: the factors that sign.
    ///   - object: makes the request object; an empty one is not sent.
    ///   - isStillNeeded: asked when the request has its turn.
    package init(
        _ endpoint: RestEndpoint, authentication: PowerAuthAuthentication? = nil,
        object: @escaping @Sendable (PowerAuthCoreSession) throws -> [String: Any] = { _ in [:] },
        isStillNeeded: @escaping @Sendable () -> Bool = { true }
    ) {
        self.endpoint = endpoint
        self.authentication = authentication?.copy()
        self.isStillNeeded = isStillNeeded
        self.object = object
    }
}

/// The answer to a successful call, and what the call was made with. Only a ``LocalStep`` gets to it.
package struct RestResponse: @unchecked Sendable {
    // Safe to share: the dictionary holds only values that the JSON parser made, which are never mutated.

    /// Decoded members; empty when there were none. A member of an unexpected type counts as absent.
    package let object: [String: Any]
    /// False when the request turned out not to be needed; then nothing was sent.
    package let wasSent: Bool
    /// The activation that the request was made with; nil where the answer is for any.
    let basis: ActivationSnapshot?

    init(object: [String: Any], basis: ActivationSnapshot?, wasSent: Bool = true) {
        self.object = object
        self.basis = basis
        self.wasSent = wasSent
    }

    /// Whether a part of the activation's state is another one than the server has answered about.
    package func isOutdated(in core: PowerAuthCoreSession, _ part: ActivationSnapshot.Part) -> Bool {
        basis?.change(until: core.activationSnapshot, of: [part]) != nil
    }

    /// A member that is a text.
    package func string(_ name: String) -> String? { object[name] as? String }
}
