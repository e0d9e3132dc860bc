import Foundation
import LabKit
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
        case .handled(_, let transferId?), .told(let transferId):
            emit(.linkSettled, transferId, [:])
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
        case .liveError:
            emit(.linkFailed, frame.correlationId, ["code": .integer(Int64(clamping: frame.sequence))])
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
    func pass(_ point: FaultPoint) {
        try? faults.pass(point, process: device)
    }

    /// Something that has arrived was thrown away. When that happens too often the rest is counted, and reported later.
    func noteRefused(_ reason: String) {
        if let report = refusals.take(reason, at: MonotonicClock.nanoseconds()) { emit(report) }
    }

    func emit(_ refusal: RefusalTally.Report) {
        trace.emit(.linkRefused, refusal.fields.merging(["link": .string(name)]) { first, _ in first })
    }
}
