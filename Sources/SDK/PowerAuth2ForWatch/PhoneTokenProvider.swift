// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
import Synchronization

/// Gets tokens from the phone (watch.md, section 6.6).
final class PhoneTokenProvider: RemoteTokenProvider {
    private let instanceId: String
    private let manager: PowerAuthWCSessionManager
    private let storage: WatchStorage

    init(instanceId: String, manager: PowerAuthWCSessionManager, storage: WatchStorage) {
        self.instanceId = instanceId
        self.manager = manager
        self.storage = storage
    }

    func requestToken(
        _ request: RemoteTokenRequest, completion: @escaping @Sendable (TaskResult<TokenRecord>) -> Void
    ) -> any PowerAuthOperationTask {
        let task = PhoneRequest()
        let packet = WatchPacket(
            target: WatchTarget.token(instanceId), payload: WatchTokenPayload(.get, tokenName: request.name))
        let question = UncheckedTransfer(storage.time(instanceId).startTimeSynchronizationTask())
        manager.send(packet, expecting: WatchTokenPayload.self) { [storage, instanceId] result in
            // The message cannot be recalled, but the reply to a cancelled request is dropped.
            guard !task.isCancelled else { return }
            completion(
                result.flatMap { payload in
                    storage.takeTime(payload.serverTime, of: instanceId, askedAt: question.value)
                    return Self.record(in: payload, for: request).flatMap { record in
                        // Removed or replaced while the reply was on its way.
                        storage.takeReply(aboutTokenNamed: request.name, of: instanceId, order: payload.order)
                            ? .success(record) : .failure(WatchError.tokenNotFoundOnPhone.nsError)
                    }
                })
        }
        return task
    }

    func removeToken(
        _ record: TokenRecord, completion: @escaping @Sendable (TaskResult<Void>) -> Void
    ) -> (any PowerAuthOperationTask)? {
        completion(.failure(WatchError.tokenRemovalOnPhone.nsError))
        return nil
    }

    /// The record of a reply, labelled with the activation that the watch knew when it asked.
    private static func record(in payload: WatchTokenPayload, for request: RemoteTokenRequest) -> TaskResult<
        TokenRecord
    > {
        guard payload.command == .put else { return .failure(WatchError.wrongTokenCommandFromPhone.nsError) }
        guard payload.tokenName == request.name else { return .failure(WatchError.wrongTokenDataFromPhone.nsError) }
        guard !payload.isNotFound else { return .failure(WatchError.tokenNotFoundOnPhone.nsError) }
        guard let data = payload.tokenData, var record = TokenRecord(data), record.name == request.name else {
            return .failure(WatchError.wrongTokenDataFromPhone.nsError)
        }
        record.activationId = request.activationId
        record.factors = request.authentication?.tokenFactorMask ?? 0
        return .success(record)
    }
}

/// A request to the phone that the watch can lose interest in.
final class PhoneRequest: PowerAuthOperationTask, Sendable {
    private let cancelled = Mutex(false)

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() { cancelled.withLock { $0 = true } }
}
