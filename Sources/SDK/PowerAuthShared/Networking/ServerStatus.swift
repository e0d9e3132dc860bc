// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
import LabPoints
import SimulatedDevice
import Synchronization

/// What the server reports about itself (sdk.md, section 5.15). Immutable. Thread rule: any thread.
public final class PowerAuthServerStatus: Sendable {
    /// The server's time when it answered.
    public let serverTime: Date

    init(serverTime: Date) { self.serverTime = serverTime }
}

/// A server status, and whether its time could be used to synchronise.
package struct ServerStatusReading: Sendable {
    package let status: PowerAuthServerStatus
    package let isTimeAccepted: Bool
}

/// Requests for the server's status; those made at the same time share one. Thread rule: any thread.
final class ServerStatusRequests: Sendable {
    private let running = Mutex<GroupedTask<ServerStatusReading>?>(nil)

    /// Earliest server time that is believed: the beginning of 2020.
    private static let earliestTime: TimeInterval = 1_577_836_800

    func join(
        client: RestClient, queue: DispatchQueue, callback: @escaping (TaskResult<ServerStatusReading>) -> Void
    ) -> any PowerAuthOperationTask {
        while true {
            let group = running.withLock { running in
                if let group = running, !group.isFinished { return group }
                let group = GroupedTask<ServerStatusReading>(
                    GroupedTask.Hooks(
                        start: { group in Self.start(group, client) }, complete: { [self] _ in forgetFinished() }))
                running = group
                return group
            }
            if let child = group.addChild(queue: queue, callback: callback) { return child }
        }
    }

    /// A finished group holds the client, which holds this object: keeping it would keep all three for good.
    private func forgetFinished() {
        running.withLock { running in
            if running?.isFinished == true { running = nil }
        }
    }

    private static func start(_ group: GroupedTask<ServerStatusReading>, _ client: RestClient) {
        let measurement = UncheckedTransfer(client.time.startTimeSynchronizationTask())
        group.setOperation(
            client.post(
                RestRequest(client.serverStatusEndpoint),
                .answer { response in
                    // The original reads a missing time as 1970 (sdk.md, section 15, item 15).
                    let believesAnything = client.sandbox.keeps(.missingServerTimeIsZero)
                    let milliseconds = (response.object["serverTime"] as? NSNumber)?.doubleValue ?? 0
                    guard believesAnything || milliseconds / 1000 >= earliestTime else {
                        throw NSError.powerAuth(.timeSynchronization, "The server did not tell its time.")
                    }
                    let isAccepted = client.time.completeTimeSynchronizationTask(
                        measurement.value, withServerTime: milliseconds / 1000)
                    return ServerStatusReading(
                        status: PowerAuthServerStatus(serverTime: Date(timeIntervalSince1970: milliseconds / 1000)),
                        isTimeAccepted: isAccepted)
                }
            ) { group.complete($0) })
    }
}
