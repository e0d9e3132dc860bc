// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthCore
import PowerAuthShared

/// One fetch of the status of an activation of protocol 4, with the code that synchronises the counters where they are far
/// apart (protocol-4.md, section 10).
///
/// Thread rule: any thread.
struct StatusFetchV4: Sendable {
    /// A status as it was received.
    private struct Reading: Sendable {
        let status: PowerAuthActivationStatus
        let activationId: String
        let needsCode: Bool
        /// The answer is about a state that was changed meanwhile, and does not fit the new one.
        let isOutdated: Bool
    }

    let base: PowerAuth2.PowerAuthSDK
    /// Sees a status, and the identifier of its activation, before any other code does.
    let fetched: @Sendable (PowerAuthActivationStatus, String) -> Void

    func makeGroup() -> GroupedTask<PowerAuthActivationStatus> {
        GroupedTask(GroupedTask.Hooks(start: { group in request(in: group, attempt: 1) }))
    }

    private func request(in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int) {
        let factorKeys = base.factorKeys
        let decoding = LocalStep<Reading>.write(refusal: .invalidActivationData) { core, response in
            try Self.decode(core, response, factorKeys)
        }
        group.setOperation(
            base.client.post(RestRequest(.activationStatusV4), decoding) { result in
                switch result {
                case .success(let reading) where reading.isOutdated && attempt < RestClient.mostAttempts:
                    if !group.isFinished { request(in: group, attempt: attempt + 1) }
                case .success(let reading) where reading.needsCode: synchronizeCounter(after: reading, in: group)
                case .success(let reading): report(reading, in: group)
                case .failure(let error): group.complete(.failure(error))
                }
            })
    }

    /// In a write task: the counter may jump forward.
    private static func decode(
        _ core: PowerAuthCoreSession, _ response: RestResponse, _ factorKeys: FactorKeySource
    ) throws(NSError) -> Reading {
        let keys = try factorKeys.possessionKeys()
        let counterHasMoved = response.isOutdated(in: core, .counter)
        guard let activationId = core.activationIdentifier, let text = response.string("activationStatus"),
            let synchronized = try? core.decodeStatusV4(text, keys: keys)
        else { throw .powerAuth(.invalidActivationData) }
        let status = PowerAuthActivationStatus(
            synchronized, customObject: response.object["customObject"] as? [String: Any])
        return Reading(
            status: status, activationId: activationId,
            needsCode: status.state == .active && synchronized.counterState == .calculateSignature,
            isOutdated: counterHasMoved && status.state == .deadlock)
    }

    /// Lets the server see a code where its counter is far behind, then reports.
    private func synchronizeCounter(after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) {
        let request = RestRequest(.validateCode, authentication: .possession()) { _ in
            ["reason": "COUNTER_SYNCHRONIZATION"]
        }
        group.setOperation(
            base.client.post(request, LocalStep<Void>.answer { _ in }) { result in
                switch result {
                case .success: report(reading, in: group)
                case .failure(let error): group.complete(.failure(error))
                }
            })
    }

    private func report(_ reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) {
        guard !group.isFinished else { return }
        fetched(reading.status, reading.activationId)
        group.complete(.success(reading.status))
    }
}
