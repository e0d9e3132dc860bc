// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SimulatedDevice
import Synchronization

/// Obtains the server's temporary keys and knows how long they are good (protocol.md, section 8).
///
/// The keys themselves live in the session. Thread rule: any thread; the lock of the session comes before the one in
/// here, and nothing is called while the latter is held.
final class TemporaryKeyStore: Sendable {
    private struct State {
        var validity: [PowerAuthCoreEciesEncryptorScope: TemporaryKeyValidity] = [:]
        var requests: [PowerAuthCoreEciesEncryptorScope: GroupedTask<Void>] = [:]
    }

    /// A key is not used in its last seconds.
    private static let safetyMargin: TimeInterval = 10

    private let state = Mutex(State())

    /// Whether the session has a key that may still encrypt; an expired one is removed in the same session task.
    func hasUsableKey(for scope: PowerAuthCoreEciesEncryptorScope, client: RestClient) -> Bool {
        client.session.readBoolTask { core in
            guard let keyId = core.publicKeyId(forEciesScope: scope) else { return false }
            let validity = state.withLock { $0.validity[scope] }
            if let validity, validity.keyId == keyId,
                client.time.currentTime() < validity.expiresAt - Self.safetyMargin
            {
                return true
            }
            core.removePublicKey(forEciesScope: scope)
            return false
        }
    }

    /// Removes a key of a scope from the session, whether it is still good or not; a key that came after it stays.
    func forget(_ keyId: String, of scope: PowerAuthCoreEciesEncryptorScope, client: RestClient) {
        _ = client.session.readBoolTask { core in
            guard core.publicKeyId(forEciesScope: scope) == keyId else { return false }
            core.removePublicKey(forEciesScope: scope)
            return true
        }
    }

    /// Asks the server for a key, together with other callers that need one of the same scope.
    func obtain(
        _ scope: PowerAuthCoreEciesEncryptorScope, client: RestClient,
        queue: DispatchQueue = RestClient.concurrentQueue, callback: @escaping (TaskResult<Void>) -> Void
    ) -> any PowerAuthOperationTask {
        while true {
            let group = state.withLock { state in
                if let running = state.requests[scope], !running.isFinished { return running }
                let group = GroupedTask<Void>(
                    GroupedTask.Hooks(
                        start: { [self] group in start(group, scope, client) },
                        complete: { [self] _ in forgetFinished(scope) }))
                state.requests[scope] = group
                return group
            }
            if let child = group.addChild(queue: queue, callback: callback) { return child }
        }
    }

    /// A finished group holds the client, which holds this object: keeping it would keep all three for good.
    private func forgetFinished(_ scope: PowerAuthCoreEciesEncryptorScope) {
        state.withLock { state in
            if state.requests[scope]?.isFinished == true { state.requests[scope] = nil }
        }
    }

    private func start(_ group: GroupedTask<Void>, _ scope: PowerAuthCoreEciesEncryptorScope, _ client: RestClient) {
        let exchange: TemporaryKeyExchange
        do throws(NSError) {
            exchange = try prepare(scope, client)
        } catch {
            return group.complete(.failure(error))
        }
        let measurement = UncheckedTransfer(client.time.startTimeSynchronizationTask())
        let jwt = exchange.jwt
        group.setOperation(
            client.post(
                RestRequest(scope == .activation ? .createTemporaryKeyOfActivation : .createTemporaryKey) { _ in
                    ["jwt": jwt]
                },
                .read(refusal: .missingActivation) { [self] core, response in try accept(response, exchange, core) }
            ) { result in
                if case .success(let validity) = result {
                    client.time.completeTimeSynchronizationTask(measurement.value, withServerTime: validity.issuedAt)
                }
                group.complete(result.map { _ in })
            })
    }

    private func prepare(
        _ scope: PowerAuthCoreEciesEncryptorScope, _ client: RestClient
    ) throws(NSError) -> TemporaryKeyExchange {
        let keys = scope == .activation ? try client.factorKeys.possessionKeys() : nil
        return try nsError {
            try client.session.read { core in
                if scope == .activation, !core.hasValidActivation {
                    throw NSError.powerAuth(core.hasPendingActivation ? .activationPending : .missingActivation)
                }
                do throws(PowerAuthCoreErrorCode) {
                    return try core.temporaryKeyExchange(for: scope, keys: keys)
                } catch {
                    throw NSError.powerAuth(.encryption, "Failed to sign the request for a temporary key.")
                }
            }
        }
    }

    private func accept(
        _ response: RestResponse, _ exchange: TemporaryKeyExchange, _ core: PowerAuthCoreSession
    ) throws(NSError) -> TemporaryKeyValidity {
        guard let jwt = response.string("jwt") else {
            throw .powerAuth(.networkError, "The response has no temporary key.")
        }
        do throws(TemporaryKeyRefusal) {
            let validity = try core.acceptTemporaryKey(jwt, answering: exchange)
            state.withLock { $0.validity[exchange.scope] = validity }
            return validity
        } catch {
            throw .refusal(error)
        }
    }
}

extension NSError {
    fileprivate static func refusal(_ refusal: TemporaryKeyRefusal) -> NSError {
        switch refusal {
        case .missingActivation: .powerAuth(.missingActivation)
        case .malformed(let reason): .powerAuth(.networkError, "The temporary key is unusable: \(reason)")
        case .untrusted(let reason): .powerAuth(.encryption, "The temporary key is not trusted: \(reason)")
        }
    }
}
