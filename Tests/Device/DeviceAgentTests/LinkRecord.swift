// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

@testable import DeviceAgent

/// What happened in a life of two devices, and what is wrong with it: nothing of an earlier pairing, device or
/// installation may reach a later one, all else must arrive once and in order, and senders hear what is true.
final class LinkRecord {
    /// Whose memory something is in: it ends when the device is erased or the app removed.
    struct Memory: Equatable {
        var device = 0
        var installation = 0
    }

    /// A transfer that was accepted, or was to be.
    struct Transfer {
        let id: UUID
        let isFromWatch: Bool
        /// The sender's memory at that time.
        let memory: Memory
        /// In which pairing; 0 of a watch that has none, until it has one.
        var pairing: UInt64
        /// Content of a file.
        var file: Data?
        /// Its device used the link when the app sent it.
        let mustBeAccepted: Bool
        var isAccepted = false
        var isCancelled = false
        /// The receiver's memories in which a piece, and in which all of it, was stored.
        var begun: [Memory] = []
        var stored: [Memory] = []
        /// The receiver's app was missing at some time since.
        var missedApp = false
        /// Its receiver was erased at some time since.
        var missedDevice = false
        /// The codes with which its end was reported, 0 for success.
        var told: [UInt64] = []
    }

    /// A context that an app has set.
    struct Update {
        let body: Data
        let memory: Memory
        var pairing: UInt64
        var stored: [Memory] = []
        /// Its receiver had its app all the time since.
        var isReceiverTheSame = true
    }

    private let world: LinkWorld
    /// The pairing that the phone is in, or will be in when it is paired.
    var pairing = WatchLink.firstPairing
    private(set) var memories: [Bool: Memory] = [false: Memory(), true: Memory()]
    /// In the order of acceptance.
    private(set) var transfers: [Transfer] = []
    private var places: [UUID: Int] = [:]
    private(set) var updates: [Bool: [Update]] = [false: [], true: []]
    /// The places of the transfers that each end has stored since it was erased, in order.
    private(set) var arrivals: [Bool: [Int]] = [false: [], true: []]
    /// The last update that each end has stored since it was erased.
    private var lastUpdate: [Bool: (pairing: UInt64, place: Int)] = [:]
    /// How much of a file an end has.
    private var sizes: [UUID: Int] = [:]
    /// What was wrong.
    private(set) var faults: [String] = []

    init(_ world: LinkWorld) { self.world = world }

    func fault(_ text: String) { faults.append(text) }

    func memory(of end: LinkWorld.End) -> Memory { memories[end.isWatch] ?? Memory() }

    /// What is said at an end is said in this pairing.
    func pairing(of end: LinkWorld.End) -> UInt64 { end.isWatch ? world.watch.link.pairing : pairing }

    // MARK: What is done

    func sends(_ id: UUID, from end: LinkWorld.End, content: Data? = nil) {
        places[id] = transfers.count
        let receiver = end.isWatch ? world.phone : world.watch
        transfers.append(
            Transfer(
                id: id, isFromWatch: end.isWatch, memory: memory(of: end), pairing: pairing(of: end), file: content,
                mustBeAccepted: end.role == .active, missedApp: !receiver.isInstalled))
    }

    func cancels(_ id: UUID) { if let place = places[id] { transfers[place].isCancelled = true } }

    /// Transfers of an end's present app that were accepted last.
    func recent(of end: LinkWorld.End) -> [UUID] {
        transfers.suffix(12).filter { $0.isFromWatch == end.isWatch && $0.memory == memory(of: end) }.map(\.id)
    }

    func updates(_ body: Data, of end: LinkWorld.End) {
        let receiver = end.isWatch ? world.phone : world.watch
        updates[end.isWatch]?.append(
            Update(
                body: body, memory: memory(of: end), pairing: pairing(of: end),
                isReceiverTheSame: receiver.isInstalled))
    }

    func erases(_ end: LinkWorld.End, epoch: UInt64) {
        forgets(end)
        memories[end.isWatch]?.device += 1
        for place in transfers.indices where transfers[place].isFromWatch != end.isWatch {
            transfers[place].missedDevice = true
        }
        arrivals[end.isWatch] = []
        lastUpdate[end.isWatch] = nil
        end.handled = []
        if !end.isWatch { pairing = epoch }
    }

    func changesInstallation(of end: LinkWorld.End) {
        forgets(end)
        end.handled = []
        for place in transfers.indices where transfers[place].isFromWatch != end.isWatch {
            transfers[place].missedApp = true
        }
    }

    private func forgets(_ end: LinkWorld.End) {
        memories[end.isWatch]?.installation += 1
        for place in (updates[!end.isWatch] ?? []).indices { updates[!end.isWatch]?[place].isReceiverTheSame = false }
        // Of a file that was not whole, nothing is left.
        for transfer in transfers where transfer.isFromWatch != end.isWatch { sizes[transfer.id] = nil }
    }

    /// What a watch without a pairing has said belongs to the one that it takes.
    func notePairing() {
        let pairing = world.watch.link.pairing
        guard pairing != 0 else { return }
        for place in transfers.indices where transfers[place].isFromWatch && transfers[place].pairing == 0 {
            transfers[place].pairing = pairing
        }
        for place in (updates[true] ?? []).indices where updates[true]?[place].pairing == 0 {
            updates[true]?[place].pairing = pairing
        }
    }

    // MARK: What happens

    func stored(_ change: LinkChange, at end: LinkWorld.End) {
        notePairing()
        switch change {
        case .accepted(let entry): accept(entry.file ?? entry.transferId)
        case .received(let entry?, _): take(entry, at: end)
        case .contextReceived(_, _, let body, _): take(context: body, at: end)
        default: break
        }
    }

    private func accept(_ id: UUID) { if let place = places[id] { transfers[place].isAccepted = true } }

    private func take(_ entry: Inbox.Entry, at end: LinkWorld.End) {
        let id = entry.file ?? entry.transferId
        guard let place = places[id] else { return fault("\(end.name) stores what nothing has sent") }
        if !end.isInstalled { fault("\(end.name) stores transfer \(place) for an app that is missing") }
        if transfers[place].pairing != pairing(of: end) {
            fault("\(end.name) stores transfer \(place) of another pairing")
        }
        let memory = memory(of: end)
        transfers[place].begun.append(memory)
        if let file = transfers[place].file {
            let size = entry.kind == .fileHead ? 0 : (sizes[id] ?? 0) + entry.body.count
            sizes[id] = size
            guard size == file.count else { return }
        }
        transfers[place].stored.append(memory)
        if let last = arrivals[end.isWatch]?.last, last >= place {
            fault("\(end.name) stores transfer \(place) after \(last)")
        }
        arrivals[end.isWatch]?.append(place)
    }

    private func take(context body: Data, at end: LinkWorld.End) {
        guard let place = updates[!end.isWatch]?.firstIndex(where: { $0.body == body }),
            let update = updates[!end.isWatch]?[place]
        else { return fault("\(end.name) stores a context that nothing has sent") }
        if !end.isInstalled { fault("\(end.name) stores context \(place) for an app that is missing") }
        if update.pairing != pairing(of: end) { fault("\(end.name) stores context \(place) of another pairing") }
        if let last = lastUpdate[end.isWatch], last.pairing == update.pairing, last.place > place {
            fault("\(end.name) stores context \(place) after \(last.place)")
        }
        lastUpdate[end.isWatch] = (update.pairing, place)
        updates[!end.isWatch]?[place].stored.append(memory(of: end))
    }

    func carriedOut(_ effect: LinkEffect, at end: LinkWorld.End) {
        switch effect {
        case .toPeer(let frame): leaves(frame, end)
        case .toApp(_, let frame): reaches(frame, appOf: end)
        case .handOver(_, let file):
            handedOver(file.transferId, to: end)
            guard let place = places[file.transferId], let content = transfers[place].file else { return }
            if file.parts.reduce(Data(), +) != content { fault("\(end.name) hands over other bytes of file \(place)") }
        default: break
        }
    }

    /// Nothing leaves a device that its present app, in the present pairing, has not sent.
    private func leaves(_ frame: WatchFrame, _ end: LinkWorld.End) {
        switch frame.kind {
        case .userInfo, .filePart:
            let id = frame.kind == .filePart ? frame.correlationId : frame.messageId
            guard let place = places[id] else { return fault("\(end.name) sends what it was not given") }
            check(transfers[place].memory, transfers[place].pairing, "transfer \(place)", isOf: end)
        case .context:
            guard let place = updates[end.isWatch]?.firstIndex(where: { $0.body == frame.body }),
                let update = updates[end.isWatch]?[place]
            else { return fault("\(end.name) sends a context that it was not given") }
            check(update.memory, update.pairing, "context \(place)", isOf: end)
        default: break
        }
    }

    private func check(_ memory: Memory, _ pairing: UInt64, _ name: String, isOf end: LinkWorld.End) {
        if memory != self.memory(of: end) { fault("\(end.name) sends \(name), of which it has no memory") }
        if pairing != self.pairing(of: end) { fault("\(end.name) sends \(name) of another pairing") }
    }

    private func reaches(_ frame: WatchFrame, appOf end: LinkWorld.End) {
        switch frame.kind {
        case .deliver: handedOver(frame.messageId, to: end)
        case .transferDone, .outstandingTransfer:
            guard let place = places[frame.messageId] else { return fault("\(end.name) is notified of a foreign one") }
            if transfers[place].memory != memory(of: end) {
                fault("\(end.name) is notified of transfer \(place), which it has forgotten")
            }
            if frame.kind == .transferDone { transfers[place].told.append(frame.sequence) }
        case .context where !frame.body.isEmpty:
            let update = updates[!end.isWatch]?.first { $0.body == frame.body }
            if update?.stored.contains(memory(of: end)) != true || update?.pairing != pairing(of: end) {
                fault("\(end.name) hears a context of which it has no memory")
            }
        case .ownContext where !frame.body.isEmpty:
            let update = updates[end.isWatch]?.first { $0.body == frame.body }
            if update?.memory != memory(of: end) || update?.pairing != pairing(of: end) {
                fault("\(end.name) shows an own context of which it has no memory")
            }
        default: break
        }
    }

    private func handedOver(_ id: UUID, to end: LinkWorld.End) {
        guard let place = places[id] else { return fault("\(end.name) hands over what nothing has sent") }
        if !transfers[place].stored.contains(memory(of: end)) {
            fault("\(end.name) hands over transfer \(place), of which it has no memory")
        }
        if transfers[place].pairing != pairing(of: end) {
            fault("\(end.name) hands over transfer \(place) of another pairing")
        }
    }
}

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
