import Foundation
import SimulatedDevice

@testable import DeviceAgent

/// What must be true of a life that is over.
extension LinkRecord {
    /// Everything that is wrong, at the time and now; empty for a life as it should be.
    func verdict(on world: LinkWorld) -> [String] {
        for (place, transfer) in transfers.enumerated() {
            let (sender, receiver) = transfer.isFromWatch ? (world.watch, world.phone) : (world.phone, world.watch)
            judge(transfer, "transfer \(place) from \(sender.name)", sender, receiver)
        }
        for (sender, receiver) in [(world.phone, world.watch), (world.watch, world.phone)] {
            judgeOrder(at: receiver)
            judgeContexts(from: sender, to: receiver)
            if !sender.link.outbox.entries.isEmpty || !sender.link.files.isEmpty {
                fault("\(sender.name) still has something queued")
            }
            if receiver.link.inbox.count > 0 { fault("\(receiver.name) still has something to hand over") }
        }
        return faults
    }

    private func judge(_ transfer: Transfer, _ name: String, _ sender: LinkWorld.End, _ receiver: LinkWorld.End) {
        guard transfer.isAccepted else {
            if transfer.mustBeAccepted { fault("\(name) was not accepted") }
            return
        }
        let isForgotten = transfer.memory != memory(of: sender)
        let isOver = transfer.pairing != pairing
        if transfer.told.isEmpty, !isForgotten { fault("\(name): its end was not reported") }
        for code in Set(transfer.told) { judge(code, of: transfer, name, isOver: isOver) }
        if Set(transfer.told).count > 1 { fault("\(name) has two ends: \(transfer.told)") }
    }

    private func judge(_ code: UInt64, of transfer: Transfer, _ name: String, isOver: Bool) {
        let hasArrived = !transfer.stored.isEmpty
        let isBroken = transfer.file != nil && !transfer.begun.isEmpty && (transfer.missedApp || transfer.missedDevice)
        let isUnheard = !hasArrived || transfer.missedDevice || isOver
        let isTrue =
            switch code {
            case 0: hasArrived
            // Whether it had arrived may not have been heard before the pairing, or the receiver's memory, was over.
            case 7005: isOver && !transfer.isFromWatch
            case 7006: transfer.missedApp && !transfer.isFromWatch && isUnheard
            case 7018: transfer.missedApp && transfer.isFromWatch && isUnheard
            case 7014: isOver && transfer.isFromWatch || (transfer.isCancelled || isBroken) && isUnheard
            default: false
            }
        if !isTrue { fault("\(name) was reported to have ended with \(code), arrived: \(hasArrived)") }
    }

    /// What arrived in the present memory was handled, in that order; only the head may come again, directly after itself.
    private func judgeOrder(at receiver: LinkWorld.End) {
        guard receiver.isInstalled else { return }
        let arrived = (arrivals[receiver.isWatch] ?? []).map { transfers[$0] }
            .filter { $0.pairing == pairing && $0.stored.contains(memory(of: receiver)) }.map(\.id)
        var distinct: [UUID] = []
        for id in receiver.handled where arrived.contains(id) && distinct.last != id { distinct.append(id) }
        if distinct != arrived {
            fault("the app of \(receiver.name) has handled \(distinct.count) of \(arrived.count), or in another order")
        }
    }

    private func judgeContexts(from sender: LinkWorld.End, to receiver: LinkWorld.End) {
        let shown = receiver.link.contexts.received[receiver.app]?.body
        let last = updates[sender.isWatch]?.last
        guard let last, last.memory == memory(of: sender), last.pairing == pairing else { return }
        if shown != last.body, last.isReceiverTheSame || !(shown ?? Data()).isEmpty {
            fault("\(receiver.name) has another context than the last one of \(sender.name)")
        }
    }
}
