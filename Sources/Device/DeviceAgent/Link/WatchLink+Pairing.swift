import Foundation
import SimulatedDevice

/// The pairing of greetings, frames and queues, so that no content of one pairing reaches the next (watch.md, section
/// 11.6).
///
/// Devices start paired, as the topology states. The phone names each later pairing, and the one after its erasure, by
/// the first epoch of its outbox, which is unique. A watch without a pairing takes its phone's. An end that greets in a
/// pairing that has ended gets `BYE`, at any time.
extension WatchLink {
    /// The pairing in which new devices are.
    static let firstPairing: UInt64 = 1

    /// The other device greets in another pairing.
    ///
    /// A watch without a pairing learns its phone's, and only then are they connected: a message that a watch sent
    /// without a pairing may arrive when it belongs to one that has ended.
    mutating func meet(_ body: GreetingBody, _ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        guard setup.isWatch else { return body.pairing == 0 ? [.greet] : turnAway(frame) }
        let ended = beUnpaired(from: pairing)
        pairing = body.pairing
        let begun: [LinkEffect] = ended + [.store(.paired(pairing))]
        // An answer refers to this end's greeting in the previous pairing.
        if frame.kind == .welcome, !ended.isEmpty { return begun }
        return begun + receive(frame, at: now)
    }

    /// Phone: a greeting in a pairing that has ended is answered with that end, even if the watch is not used.
    func turnAway(_ frame: WatchFrame) -> [LinkEffect] {
        guard !setup.isWatch, isInRange, frame.kind == .hello || frame.kind == .welcome,
            let body = try? greetings.read(frame), body.pairing != 0, role == .unpaired || body.pairing != pairing
        else { return [] }
        return [endOfPairing(body.pairing)]
    }

    /// Watch: the phone has ended a pairing. Another pairing, as in a late farewell, is ignored.
    mutating func beUnpaired(from ended: UInt64) -> [LinkEffect] {
        guard setup.isWatch, ended != 0, ended == pairing else { return [] }
        return unpair(epoch: outbox.epoch &+ 1, code: LinkCode.deliveryFailed, saysFarewell: false) + [.greet]
    }

    /// Sends the watch the end of a pairing.
    func endOfPairing(_ pairing: UInt64) -> LinkEffect {
        .toPeer(WatchFrame(.bye, epoch: pairing, sequence: ByeReason.unpaired.rawValue))
    }

    /// Frames to the other device name the epoch that they belong to.
    func ofMemory(_ effect: LinkEffect) -> LinkEffect {
        guard case .toPeer(var frame) = effect, let speaker = frame.speaker else { return effect }
        frame.epoch = speaker == .sender ? outbox.epoch : inbox.epoch
        return .toPeer(frame)
    }

    /// Whether a frame belongs to the current state of both devices. A late frame was sent, or answers a frame that was
    /// sent, before one of them was erased or in another pairing.
    func isOfMemory(_ frame: WatchFrame) -> Bool {
        guard let speaker = frame.speaker else { return true }
        return frame.epoch == (speaker == .sender ? inbox.epoch : outbox.epoch)
    }
}

extension WatchFrame {
    /// Whose words a frame is about.
    enum Speaker {
        /// The frame is not an answer.
        case sender
        /// The frame answers the other device.
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
