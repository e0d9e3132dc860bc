// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// The deployment's decisions about activations: the user of a CUSTOM activation, the processing of custom attributes,
/// and which activations are committed at once (rest-api.md, section 6.2).
///
/// The functions are called on worker threads and may block.
public struct ActivationProvider: Sendable {
    /// Finds the user of identity attributes that only the deployment understands; nil refuses the activation.
    public var userId: @Sendable (_ identityAttributes: [String: String]) throws -> String?
    /// Turns the custom attributes of the request into those of the answer.
    public var customAttributes: @Sendable (_ requested: JSONValue) throws -> JSONValue = { $0 }
    /// Whether an activation of a type, `CODE`, `CUSTOM` or `RECOVERY`, needs no commit by the back office.
    public var commits: @Sendable (_ type: String) -> Bool = { _ in false }

    /// Whether the recovery codes of an activation end when its device removes it (rest-api.md, section 6.4).
    public var revokesRecoveryCodes = true

    /// Returned to devices as `customObject` with the status of an activation; nil omits it. The activation is nil for
    /// an unknown identifier.
    public var statusObject: @Sendable (_ activation: StatusSubject?) throws -> JSONValue? = { _ in nil }

    /// The activation whose status is requested.
    public struct StatusSubject: Sendable {
        /// The identifier of the activation.
        public let activationId: String
        /// Whose it is.
        public let userId: String
        /// The flags of the activation.
        public let flags: [String]
    }

    /// Trusts the attribute `username`: for a laboratory only, never for a bank.
    ///
    /// Otherwise as a deployment without a provider: an activation by recovery code is committed at once, and recovery
    /// codes stay valid when a device removes its activation.
    public static let username = ActivationProvider(
        userId: { $0["username"] }, commits: { $0 == ActivationProvider.recovery }, revokesRecoveryCodes: false)

    /// The type of activations by recovery code, as ``commits`` gets it.
    static let recovery = "RECOVERY"
}
