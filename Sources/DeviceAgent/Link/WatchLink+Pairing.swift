import Foundation
import SimulatedDevice

/// Which pairing greetings, frames and queues belong to, so that nothing of one reaches the next (watch.md, section 11.6).
///
/// Devices come paired, as the topology says. The phone names each later pairing, and the one after it was erased, by the
/// epoch with which its outbox begins: no other had that. A watch without a pairing takes that of its phone. An end that
/// greets in a pairing that has ended gets `BYE`, at any time.
extension WatchLink {
    /// The pairing in which new devices are.
    static let firstPairing: UInt64 = 1

    /// The other device greets in another pairing.
    ///
    /// A watch that belongs to none learns of its phone's, and only then are they connected: what a watch has said in no
    /// pairing may arrive when it belongs to one that is over.
    mutating func meet(_ body: GreetingBody, _ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        guard setup.isWatch else { return body.pairing == 0 ? [.greet] : turnAway(frame) }
        let ended = beUnpaired(from: pairing)
        pairing = body.pairing
        let begun: [LinkEffect] = ended + [.store(.paired(pairing))]
        // An answer is about what this end has told of the pairing before.
        if frame.kind == .welcome, !ended.isEmpty { return begun }
        return begun + receive(frame, at: now)
    }

    /// Phone: who greets in a pairing that is over hears that it is, also when the watch is not used.
    func turnAway(_ frame: WatchFrame) -> [LinkEffect] {
        guard !setup.isWatch, isInRange, frame.kind == .hello || frame.kind == .welcome,
            let body = try? greetings.read(frame), body.pairing != 0, role == .unpaired || body.pairing != pairing
        else { return [] }
        return [endOfPairing(body.pairing)]
    }

    /// Watch: the phone has ended a pairing. Nothing happens when it is not this one, as of a farewell that comes late.
    mutating func beUnpaired(from ended: UInt64) -> [LinkEffect] {
        guard setup.isWatch, ended != 0, ended == pairing else { return [] }
        return unpair(epoch: outbox.epoch &+ 1, code: LinkCode.deliveryFailed, saysFarewell: false) + [.greet]
    }

    /// Sends the watch the end of a pairing.
    func endOfPairing(_ pairing: UInt64) -> LinkEffect {
        .toPeer(WatchFrame(.bye, epoch: pairing, sequence: ByeReason.unpaired.rawValue))
    }

    /// What goes to the other device names the pairing in which it is said.
    func ofPairing(_ effect: LinkEffect) -> LinkEffect {
        guard case .toPeer(var frame) = effect, frame.namesPairing else { return effect }
        frame.epoch = pairing
        return .toPeer(frame)
    }
}

extension WatchFrame {
    /// Whether the epoch is the pairing. Transfers have that of their outbox, which belongs to one pairing.
    var namesPairing: Bool {
        switch kind {
        case .live, .liveAcknowledgement, .liveReply, .liveError, .context, .contextAcknowledgement, .state: true
        default: false
        }
    }
}
