// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import PowerAuthProtocol
import SimulatedDevice
import Synchronization

/// Which of the server's temporary keys: that of a scope, in protocol 3 or 4.
package struct TemporaryKeyKind: Hashable, Sendable {
    let scope: PowerAuthCoreEciesEncryptorScope
    let isVersion4: Bool

    /// Identifier of the key that a session has; nil without one.
    func keyId(in core: PowerAuthCoreSession) -> String? {
        isVersion4 ? core.temporaryKeyIdV4(for: scope) : core.publicKeyId(forEciesScope: scope)
    }

    fileprivate func remove(from core: PowerAuthCoreSession) {
        if isVersion4 { core.removeTemporaryKeyV4(for: scope) } else { core.removePublicKey(forEciesScope: scope) }
    }

    fileprivate var endpoint: RestEndpoint {
        switch (scope, isVersion4) {
        case (.application, false): .createTemporaryKey
        case (.activation, false): .createTemporaryKeyOfActivation
        case (.application, true): .createTemporaryKeyV4
        case (.activation, true): .createTemporaryKeyOfActivationV4
        }
    }
}

/// A request for a temporary key, made by a session.
private enum PreparedKeyRequest: Sendable {
    case version3(TemporaryKeyExchange)
    case version4(TemporaryKeyExchangeV4)

    var jwt: String {
        switch self {
        case .version3(let exchange): exchange.jwt
        case .version4(let exchange): exchange.jwt
        }
    }
}

/// Obtains the server's temporary keys and knows how long they are good (protocol.md, section 8; protocol-4.md, section 6).
///
/// The keys themselves live in the session. Thread rule: any thread; the lock of the session comes before the one in
/// here, and nothing is called while the latter is held.
final class TemporaryKeyStore: Sendable {
    private struct State {
        var validity: [TemporaryKeyKind: TemporaryKeyValidity] = [:]
        var requests: [TemporaryKeyKind: GroupedTask<Void>] = [:]
    }

    /// A key is not used in its last seconds.
    private static let safetyMargin: TimeInterval = 10

    private let state = Mutex(State())

    /// Whether the session has a key that may still encrypt; an expired one is removed in the same session task.
    func hasUsableKey(_ kind: TemporaryKeyKind, client: RestClient) -> Bool {
        client.session.readBoolTask { core in
            guard let keyId = kind.keyId(in: core) else { return false }
            let validity = state.withLock { $0.validity[kind] }
            if let validity, validity.keyId == keyId,
                client.time.currentTime() < validity.expiresAt - Self.safetyMargin
            {
                return true
            }
            kind.remove(from: core)
            return false
        }
    }

    /// Removes a key from the session, whether it is still good or not; a key that came after it stays.
    func forget(_ keyId: String, _ kind: TemporaryKeyKind, client: RestClient) {
        _ = client.session.readBoolTask { core in
            guard kind.keyId(in: core) == keyId else { return false }
            kind.remove(from: core)
            return true
        }
    }

    /// Asks the server for a key, together with other callers that need the same one.
    func obtain(
        _ kind: TemporaryKeyKind, client: RestClient,
        queue: DispatchQueue = RestClient.concurrentQueue, callback: @escaping (TaskResult<Void>) -> Void
    ) -> any PowerAuthOperationTask {
        while true {
            let group = state.withLock { state in
                if let running = state.requests[kind], !running.isFinished { return running }
                let group = GroupedTask<Void>(
                    GroupedTask.Hooks(
                        start: { [self] group in start(group, kind, client) },
                        complete: { [self] _ in forgetFinished(kind) }))
                state.requests[kind] = group
                return group
            }
            if let child = group.addChild(queue: queue, callback: callback) { return child }
        }
    }

    /// A finished group holds the client, which holds this object: keeping it would keep all three for good.
    private func forgetFinished(_ kind: TemporaryKeyKind) {
        state.withLock { state in
            if state.requests[kind]?.isFinished == true { state.requests[kind] = nil }
        }
    }

    private func start(_ group: GroupedTask<Void>, _ kind: TemporaryKeyKind, _ client: RestClient) {
        let exchange: PreparedKeyRequest
        do throws(NSError) {
            exchange = try prepare(kind, client)
        } catch {
            return group.complete(.failure(error))
        }
        let measurement = UncheckedTransfer(client.time.startTimeSynchronizationTask())
        let jwt = exchange.jwt
        group.setOperation(
            client.post(
                RestRequest(kind.endpoint) { _ in ["jwt": jwt] },
                .read(refusal: .missingActivation) { [self] core, response in
                    try accept(response, exchange, kind, core)
                }
            ) { result in
                if case .success(let validity) = result {
                    client.time.completeTimeSynchronizationTask(measurement.value, withServerTime: validity.issuedAt)
                }
                group.complete(result.map { _ in })
            })
    }

    private func prepare(
        _ kind: TemporaryKeyKind, _ client: RestClient
    ) throws(NSError) -> PreparedKeyRequest {
        let scope = kind.scope
        let keys = scope == .activation ? try client.factorKeys.possessionKeys() : nil
        return try nsError {
            try client.session.read { core -> PreparedKeyRequest in
                if scope == .activation, !core.hasValidActivation {
                    throw NSError.powerAuth(core.hasPendingActivation ? .activationPending : .missingActivation)
                }
                do throws(PowerAuthCoreErrorCode) {
                    guard kind.isVersion4 else {
                        return .version3(try core.temporaryKeyExchange(for: scope, keys: keys))
                    }
                    return .version4(try core.temporaryKeyExchangeV4(for: scope, keys: keys))
                } catch {
                    throw NSError.powerAuth(.encryption, "Failed to sign the request for a temporary key.")
                }
            }
        }
    }

    private func accept(
        _ response: RestResponse, _ exchange: PreparedKeyRequest, _ kind: TemporaryKeyKind,
        _ core: PowerAuthCoreSession
    ) throws(NSError) -> TemporaryKeyValidity {
        do throws(TemporaryKeyRefusal) {
            let validity: TemporaryKeyValidity
            switch exchange {
            case .version3(let exchange):
                guard let jwt = response.string("jwt") else { throw .malformed("the response has no token") }
                validity = try core.acceptTemporaryKey(jwt, answering: exchange)
            case .version4(let exchange):
                guard let answer = try? response.decode(TemporaryKeyAnswerV4.self) else {
                    throw .malformed("the response has no signed token")
                }
                validity = try core.acceptTemporaryKeyV4(answer.jwt, answering: exchange)
            }
            state.withLock { $0.validity[kind] = validity }
            return validity
        } catch {
            throw .refusal(error)
        }
    }
}

/// The content of an answer of protocol 4: a JWS as text or as an object.
private struct TemporaryKeyAnswerV4: Decodable { let jwt: JWS }

extension NSError {
    fileprivate static func refusal(_ refusal: TemporaryKeyRefusal) -> NSError {
        switch refusal {
        case .missingActivation: .powerAuth(.missingActivation)
        case .malformed(let reason): .powerAuth(.networkError, "The temporary key is unusable: \(reason)")
        case .untrusted(let reason): .powerAuth(.encryption, "The temporary key is not trusted: \(reason)")
        }
    }
}
