// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice

/// What a phone does with one of its watches; a watch has one phone, whose link is always active.
enum LinkRole: Equatable, Sendable {
    /// The watch that the phone uses.
    case active
    /// Another watch is used. This one is not served, as if it were out of range; its queues wait.
    case idle
    case unpaired
}

extension WatchLink {
    /// Whether the two devices reach each other.
    var isServed: Bool { isInRange && role == .active }

    /// The phone uses the watch from now on, or no longer uses it.
    mutating func play(_ role: LinkRole) -> [LinkEffect] {
        guard role != self.role else { return [] }
        let farewell = isUp ? farewell(.switched) : []
        self.role = role
        guard role != .active else { return isInRange ? [.greet] : [] }
        return farewell + lose(LinkCode.sessionInactive)
    }

    /// The pairing ends: queued content is neither delivered nor kept.
    mutating func unpair(epoch: UInt64, code: Int, saysFarewell: Bool) -> [LinkEffect] {
        let farewell = isUp && saysFarewell ? [endOfPairing(pairing)] : []
        let waiting = outbox.entries.filter { $0.file == nil && !$0.origin.isEmpty }
        let ended =
            waiting.map { entry in
                FinishedTransfer(
                    transferId: entry.transferId, app: entry.origin,
                    content: .userInfo(entry.body, isComplication: entry.kind == .complication),
                    code: entry.endCode ?? code)
            }
            + files.map { file in
                let ended = outbox.entries.first { $0.file == file.transferId && $0.endCode != nil }
                return FinishedTransfer(
                    transferId: file.transferId, app: file.app, content: .file(file.file),
                    code: file.code ?? ended?.endCode ?? code)
            }
        let lost = lose(code)
        if !setup.isWatch { role = .unpaired }
        let untold = finished.waiting()
        let erased = eraseQueues(epoch: epoch)
        return farewell + lost + erased + (untold + ended).flatMap { finish($0) } + withoutContexts()
    }

    /// Running apps know no context of the pairing that is over.
    private func withoutContexts() -> [LinkEffect] {
        apps.filter(\.value.isActivated).keys.sorted().flatMap { app in
            [
                .toApp(app, WatchFrame(.ownContext, flags: .propertyList, app: app)),
                .toApp(app, WatchFrame(.context, flags: [.propertyList, .retransmission], app: app)),
            ]
        }
    }
}

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

/// Which app talks to which over a link.
enum Counterparts {
    /// For each app of `device` that has a counterpart on the other device: the counterpart's name.
    ///
    /// A watch app accompanies the phone app that it names as its host, or else the phone's first app.
    static func of(device: String, link: LinkSpec, topology: Topology) -> [String: String] {
        guard let phone = topology.device(named: link.phone), let watch = topology.device(named: link.watch) else {
            return [:]
        }
        let phoneApps = phone.apps.filter { $0.kind == .app }
        var pairs: [String: String] = [:]
        for watchApp in watch.apps where watchApp.kind == .watchApp {
            let host = watchApp.host.map { host in phoneApps.first { $0.name == host } } ?? phoneApps.first
            guard let host else { continue }
            if device == link.watch {
                pairs[watchApp.name] = host.name
            } else if pairs[host.name] == nil {
                pairs[host.name] = watchApp.name
            }
        }
        return pairs
    }
}
