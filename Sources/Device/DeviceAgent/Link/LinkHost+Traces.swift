// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice

/// The trace events of a link, and the fault points of its device.
extension LinkHost {
    func note(_ change: LinkChange) {
        switch change {
        case .accepted(let entry):
            emit(.linkAccepted, entry.transferId, ["kind": "transfer", "app": .string(entry.origin)])
        case .received(let entry?, let sequence):
            emit(
                .linkReceived, entry.transferId,
                ["kind": "transfer", "seq": .integer(Int64(clamping: sequence)), "app": .string(entry.app)])
        case .acknowledged(let sequence):
            trace.emit(.linkAcknowledged, ["link": .string(name), "seq": .integer(Int64(clamping: sequence))])
        case .handled(_, let transferId?), .told(let transferId): emit(.linkSettled, transferId, [:])
        default: break
        }
    }

    func noteSent(_ frame: WatchFrame) {
        switch frame.kind {
        case .live: emit(.linkSent, frame.messageId, ["kind": "live", "app": .string(frame.app)])
        case .userInfo, .filePart, .userInfoTombstone:
            emit(
                .linkSent, frame.messageId,
                [
                    "kind": "transfer", "seq": .integer(Int64(clamping: frame.sequence)), "app": .string(frame.app),
                    "isRetransmission": .bool(frame.flags.contains(.retransmission)),
                ])
        case .liveError: emit(.linkFailed, frame.correlationId, ["code": .integer(Int64(clamping: frame.sequence))])
        case .userInfoRefusal:
            let code = (try? frame.decodeBody(RefusalBody.self))?.code ?? 0
            return noteRefused("the transfer \(frame.messageId.uuidString) cannot be taken (WCError \(code))")
        default: return
        }
        pass(.linkSent)
    }

    private func emit(_ event: TraceEventName, _ id: UUID, _ fields: [String: JSONValue]) {
        trace.emit(event, fields.merging(["id": .string(id.uuidString), "link": .string(name)]) { first, _ in first })
    }

    /// A scenario may kill or delay the agent here. An armed error has no meaning: the agent's own work does not fail.
    func pass(_ point: FaultPoint) { try? passInTurn(point) }

    /// Passes a fault point, at which an explored order may hold the agent, and begins its turn.
    func passInTurn(_ point: FaultPoint) throws {
        defer { faults.touch(.device, writing: true, process: device) }
        try faults.pass(point, process: device)
    }

    /// Something that has arrived was thrown away. When that happens too often the rest is counted, and reported later.
    func noteRefused(_ reason: String) {
        if let report = refusals.take(reason, at: MonotonicClock.nanoseconds()) { emit(report) }
    }

    func emit(_ refusal: RefusalTally.Report) {
        trace.emit(.linkRefused, refusal.fields.merging(["link": .string(name)]) { first, _ in first })
    }
}

/// Reports of refused frames: the first ones of a second one by one, the others as one number at its end.
/// So a flood of nonsense makes no flood of events.
///
/// A value that decides and does nothing else.
struct RefusalTally: Equatable {
    struct Report: Equatable {
        /// Why; of several the last one.
        var cause: String
        /// How many it stands for; nil for one.
        var count: Int?

        /// As members of the event.
        var fields: [String: JSONValue] {
            var fields: [String: JSONValue] = ["cause": .string(cause)]
            fields["count"] = count.map { .integer(Int64($0)) }
            return fields
        }
    }

    /// How many of a period are reported one by one.
    static let limit = 16
    /// The period, in nanoseconds of real time.
    static let period: UInt64 = 1_000_000_000

    private var begin: UInt64 = 0
    private var reported = 0
    private var unreported = 0
    private var lastCause = ""

    /// When ``summary(at:)`` has something to report, in monotonic nanoseconds; nil when nothing waits.
    var due: UInt64? { unreported > 0 ? begin + Self.period : nil }

    /// Something was thrown away; gives what is to be reported now.
    mutating func take(_ cause: String, at now: UInt64) -> Report? {
        if unreported == 0, now >= begin + Self.period { (begin, reported) = (now, 0) }
        guard reported < Self.limit else {
            unreported += 1
            lastCause = cause
            return nil
        }
        reported += 1
        return Report(cause: cause)
    }

    /// What was counted in a period that is over.
    mutating func summary(at now: UInt64) -> Report? {
        guard let due, due <= now else { return nil }
        defer { unreported = 0 }
        return Report(cause: lastCause, count: unreported)
    }
}
