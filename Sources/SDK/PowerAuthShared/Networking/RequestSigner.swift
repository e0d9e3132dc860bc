// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabPoints
import PowerAuthProtocol
package import SimulatedDevice

/// Computes signatures of requests and turns refusals into the documented errors (sdk.md, sections 5.8 and 7.2).
///
/// Thread rule: any thread.
package final class RequestSigner: Sendable {
    private let session: any SessionInterface
    private let factorKeys: FactorKeySource
    private let sandbox: Sandbox

    package init(session: any SessionInterface, factorKeys: FactorKeySource, sandbox: Sandbox) {
        self.session = session
        self.factorKeys = factorKeys
        self.sandbox = sandbox
    }

    /// Signs a request of the application. The moved counter is stored before this returns.
    /// - Throws: `pendingProtocolUpgrade` during an upgrade of the protocol, `missingActivation` without an activation,
    ///   `wrongParameter` without a factor, `biometryNotAvailable`, `biometryCancel` or `biometryFailed` without the
    ///   biometry key, `biometryFailed` also when the factor was replaced while the user was asked, `signatureError` when
    ///   the core refuses, `invalidActivationState` when the state cannot be stored.
    package func sign(
        _ request: PowerAuthCoreHTTPRequestData, with authentication: PowerAuthAuthentication
    ) throws(NSError) -> PowerAuthCoreHTTPRequestDataSignature {
        try nsError { try session.read { core in try requireActivation(core) } }
        let keys = try factorKeys.keys(for: authentication)
        return try nsError {
            try session.read { core in
                try requireActivation(core)
                return try sign(request, with: keys)
            }
        }
    }

    /// Computes a code of an activation of protocol 4. The moved counter is stored before this returns.
    /// - Throws: as ``sign(_:with:)``.
    package func code(
        for request: PowerAuthCoreHTTPRequestData, with authentication: PowerAuthAuthentication
    ) throws(NSError) -> ComputedCode {
        try nsError { try session.read { core in try requireActivation(core) } }
        let keys = try factorKeys.keys(for: authentication)
        return try code(with: keys) { core throws(PowerAuthCoreErrorCode) in
            try core.authenticationCode(request, keys: keys.unlockKeys, factor: keys.factor)
        }
    }

    /// Computes a code of protocol 4, also inside a session task that is already open.
    /// - Parameter compute: computes it, in a write task.
    func code(
        with keys: SigningKeys,
        _ compute: (PowerAuthCoreSession) throws(PowerAuthCoreErrorCode) -> ComputedCode
    ) throws(NSError) -> ComputedCode {
        let code = try nsError {
            try session.write { core -> ComputedCode in
                try requireFactor(of: keys, core)
                do {
                    return try compute(core)
                } catch {
                    throw NSError.powerAuth(.signatureError)
                }
            }
        }
        trace(code.counterLabel, code.activationId, factors: code.type.rawValue)
        return code
    }

    /// Signs inside a session task that is already open.
    func sign(
        _ request: PowerAuthCoreHTTPRequestData, with keys: SigningKeys
    ) throws(NSError) -> PowerAuthCoreHTTPRequestDataSignature {
        let signature = try nsError {
            try session.write { core in
                try requireFactor(of: keys, core)
                guard let signature = core.signHttpRequestData(request, keys: keys.unlockKeys, factor: keys.factor)
                else { throw NSError.powerAuth(.signatureError) }
                return signature
            }
        }
        trace(signature.counterLabel, signature.activationId, factors: signature.factor)
        return signature
    }

    private func trace(_ counter: String, _ activationId: String, factors: String) {
        sandbox.trace(
            .counterUsed,
            [.usedCounter: .text(counter), .activationId: .text(activationId), .factors: .text(factors)])
    }

    /// The user is asked outside of the task, so another application may have replaced the factor since. A key of
    /// another factor gives a wrong signature without an error, which the server would count as a failed attempt. If
    /// the factor was removed, the core refuses.
    private func requireFactor(of keys: SigningKeys, _ core: PowerAuthCoreSession) throws(NSError) {
        guard let factor = keys.biometry, case .named = core.biometryFactorIdentity else { return }
        guard core.biometryFactorIdentity == factor else {
            throw .powerAuth(.biometryFailed, "The biometry factor was replaced while the user was asked")
        }
    }

    private func requireActivation(_ core: PowerAuthCoreSession) throws(NSError) {
        if core.hasPendingProtocolUpgrade { throw .powerAuth(.pendingProtocolUpgrade) }
        guard core.hasValidActivation else { throw .powerAuth(.missingActivation) }
    }
}

/// Runs code that throws only `NSError` values, as session tasks do, and types the error.
package func nsError<Result>(_ body: () throws -> Result) throws(NSError) -> Result {
    do {
        return try body()
    } catch {
        throw error as NSError
    }
}
