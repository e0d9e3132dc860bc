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

    /// What goes to the other device names the memory that it belongs to.
    func ofMemory(_ effect: LinkEffect) -> LinkEffect {
        guard case .toPeer(var frame) = effect, let speaker = frame.speaker else { return effect }
        frame.epoch = speaker == .sender ? outbox.epoch : inbox.epoch
        return .toPeer(frame)
    }

    /// Whether a frame belongs to what both devices remember. One that comes late was said, or is an answer to what was said,
    /// before one of them was erased or in another pairing.
    func isOfMemory(_ frame: WatchFrame) -> Bool {
        guard let speaker = frame.speaker else { return true }
        return frame.epoch == (speaker == .sender ? inbox.epoch : outbox.epoch)
    }
}

extension WatchFrame {
    /// Whose words a frame is about.
    enum Speaker {
        /// It says something by itself.
        case sender
        /// It answers what the other device has said.
        case receiver
    }

    /// Whose memory the epoch names, by the outbox that began with it and belongs to one pairing; nil for a frame whose
    /// handling looks at its epoch.
    var speaker: Speaker? {
        switch kind {
        case .live, .context, .state: .sender
        case .liveAcknowledgement, .liveReply, .liveError, .contextAcknowledgement: .receiver
        default: nil
        }
    }
}
