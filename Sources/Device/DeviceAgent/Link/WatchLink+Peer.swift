// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// The other agent: greetings, and what it sends.
extension WatchLink {
    /// The greeting that asks for a connection.
    mutating func hello() -> WatchFrame { WatchFrame(.hello, body: WatchFrame.body(greeting(greetings.next()))) }

    private func greeting(
        _ identifier: GreetingBody.Identifier, answers: GreetingBody.Identifier? = nil
    ) -> GreetingBody {
        GreetingBody(
            device: setup.device, pairing: pairing, identifier: identifier, answers: answers, pid: setup.pid,
            epoch: outbox.epoch,
            receivedEpoch: inbox.epoch, receivedSequence: inbox.received, skipped: inbox.skipped,
            receivedContexts: contexts.received.mapValues(\.version))
    }

    /// Whether the current connection is not the one in the greeting of the other device: it was restarted or erased,
    /// and its farewell was lost. A watch with another outbox was erased; a phone with another outbox has another
    /// pairing.
    private func hasBegunAnew(_ body: GreetingBody) -> Bool {
        peer?.identifier.process != body.identifier.process || !setup.isWatch && peer?.epoch != body.epoch
    }

    func farewell(_ reason: ByeReason) -> [LinkEffect] { [.toPeer(WatchFrame(.bye, sequence: reason.rawValue))] }

    mutating func receive(_ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        switch frame.kind {
        case .hello, .welcome:
            guard let body = try? greetings.read(frame) else { return [] }
            guard body.pairing == pairing else { return meet(body, frame, at: now) }
            let lost = isUp && hasBegunAnew(body) ? lose() : []
            greetings.take(body)
            let received = inbox.connect(epoch: body.epoch)
            let answer: [LinkEffect] =
                frame.kind == .hello
                ? [
                    .toPeer(
                        WatchFrame(
                            .welcome, body: WatchFrame.body(greeting(greetings.identifier, answers: body.identifier))))
                ] : []
            return lost + received + answer + connect(body)
        case .bye where frame.sequence == ByeReason.unpaired.rawValue: return beUnpaired(from: frame.epoch)
        default: break
        }
        guard isUp, isOfMemory(frame) else { return [] }
        switch frame.kind {
        case .bye: return lose()
        case .ping: return [.toPeer(beat(.pong, frame.sequence))]
        case .pong:
            heartbeat.heard(answerTo: frame.sequence)
            // A state that it does not have by now was lost; at worst it arrives twice.
            return frame.epoch < publishedVersion ? publish() : []
        case .state:
            // A state older than the last one is ignored.
            guard frame.sequence > counterpartVersion.number, let body = try? frame.decodeBody(PublishedState.self)
            else { return [] }
            counterpartVersion.number = frame.sequence
            counterpartState = body
            missingCounterparts = Set(body.apps.filter { !$0.value.isInstalled }.keys)
            counterpartComplications = Set(body.apps.filter(\.value.hasComplication).keys)
            return []
        case .live: return receiveLive(frame, at: now)
        case .liveAcknowledgement, .liveReply, .liveError: return live.answered(frame, at: now)
        case .userInfo, .userInfoTombstone:
            let refusal =
                refusal(of: frame, limit: WatchContent.messageLimit)
                ?? (isInboxFull ? LinkCode.insufficientSpace : refusalOfStorage)
            return inbox.receive(frame, refusal: refusal) + offer(to: frame.app) + wakeForComplication(frame)
        case .filePart:
            // A file in progress may exceed the capacity: an incomplete file would never leave the queue.
            let isFull = frame.flags.contains(.file) && isInboxFull
            let refusal =
                refusal(of: frame, limit: WatchContent.contextLimit)
                ?? (isFull ? LinkCode.insufficientSpace : refusalOfStorage)
            return inbox.receive(frame, refusal: refusal) + offer(to: frame.app)
        case .userInfoAcknowledgement:
            return outbox.acknowledge(epoch: frame.epoch, upTo: frame.sequence, skipped: skipped(in: frame))
        case .userInfoGap: return outbox.rewind(epoch: frame.epoch, to: frame.sequence, skipped: skipped(in: frame))
        case .userInfoRefusal:
            guard let body = try? frame.decodeBody(RefusalBody.self), body.code > 0 else { return [] }
            return outbox.refuse(epoch: frame.epoch, sequence: frame.sequence, code: body.code)
        case .context: return receiveContext(frame)
        case .contextAcknowledgement: return contexts.acknowledge(frame)
        default: return []
        }
    }

    /// A question whether the other device is reachable, or the answer to one. Both contain the last received version
    /// of its state.
    func beat(_ kind: WatchFrame.Kind, _ number: UInt64) -> WatchFrame {
        WatchFrame(kind, epoch: counterpartVersion.number, sequence: number)
    }

    private func skipped(in frame: WatchFrame) -> [UInt64] {
        frame.body.isEmpty ? [] : (try? frame.decodeBody([UInt64].self)) ?? []
    }

    private mutating func connect(_ body: GreetingBody) -> [LinkEffect] {
        let wasUp = isUp
        isUp = true
        peer = body
        if counterpartVersion.process != body.identifier.process {
            counterpartVersion = StateVersion(process: body.identifier.process)
        }
        // A device that greets may have missed earlier published states.
        published = nil
        let change: [LinkEffect] = wasUp ? [] : [.linkChanged(isUp: true)]
        return change
            + outbox.connect(epoch: body.receivedEpoch, received: body.receivedSequence, skipped: body.skipped)
            + contexts.connect(body.receivedContexts)
    }

    /// The link goes down.
    /// - Parameter code: The `WCError.Code` with which messages under way end; nil for the code of a lost link.
    mutating func lose(_ code: Int? = nil) -> [LinkEffect] {
        guard isUp else { return [] }
        isUp = false
        peer = nil
        greetings.lose()
        counterpartState = PublishedState()
        outbox.disconnect()
        return [.linkChanged(isUp: false)] + live.linkLost(code)
    }

    /// Why a message for an app of this device is not taken: a `WCError.Code`, or nil when it is fine.
    private func refusal(of frame: WatchFrame, limit: Int) -> Int? {
        guard setup.counterparts[frame.app] != nil, !uninstalled.contains(frame.app) else {
            return setup.isWatch ? LinkCode.watchAppNotInstalled : LinkCode.companionAppNotInstalled
        }
        return WatchContent.problem(in: frame.body, isPropertyList: frame.flags.contains(.propertyList), limit: limit)
    }

    private mutating func receiveLive(_ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        let presence = apps[frame.app] ?? AppPresence()
        // A message never launches the watch app.
        let isWithoutReceiver = setup.isWatch && !presence.isActivated
        if let code = refusal(of: frame, limit: WatchContent.messageLimit)
            ?? (isWithoutReceiver ? LinkCode.deliveryFailed : nil)
        {
            return [.toPeer(WatchFrame(.liveError, correlationId: frame.messageId, sequence: UInt64(code)))]
        }
        var effects = live.receive(frame, isReady: isReadyForContext(frame.app), at: now)
        if !presence.isAttached {
            effects.append(.launch(frame.app))
        } else if presence.isSuspended {
            effects.append(.wake(frame.app))
        }
        return effects
    }

    /// Content for a complication does not wait until the user opens the app.
    private func wakeForComplication(_ frame: WatchFrame) -> [LinkEffect] {
        guard frame.kind == .userInfo, frame.flags.contains(.complication), complications.contains(frame.app) else {
            return []
        }
        let presence = apps[frame.app] ?? AppPresence()
        if !presence.isAttached { return [.launch(frame.app)] }
        return presence.isSuspended ? [.wake(frame.app)] : []
    }

    /// A context that cannot be taken is still confirmed, without a report: otherwise it would come again forever.
    private mutating func receiveContext(_ frame: WatchFrame) -> [LinkEffect] {
        guard frame.sequence <= ContextExchange.greatestVersion,
            refusal(of: frame, limit: WatchContent.contextLimit) == nil
        else { return [.toPeer(WatchFrame(.contextAcknowledgement, sequence: frame.sequence, app: frame.app))] }
        // It is sent again until there is room for it.
        guard refusalOfStorage == nil else { return [] }
        return contexts.receive(frame, canTell: isReadyForContext(frame.app))
    }
}

/// What keeps a connection between two agents alive: both ask in turn, and one that gets no answer to three questions in a
/// row counts the other as lost (watch.md, section 11.4).
///
/// A question is asked when its time has come, not when it should have been: where the clock jumps, one is asked, not all
/// that would have been due. A value that decides and does nothing else.
struct Heartbeat: Equatable, Sendable {
    /// Time between two questions, in nanoseconds of lab time.
    static let interval: Int64 = 500_000_000
    /// How many may stay unanswered.
    static let patience: UInt64 = 3

    /// When the next question is due, in nanoseconds of lab time; nil while there is no connection.
    private(set) var due: Int64?
    private var asked: UInt64 = 0
    private var answered: UInt64 = 0

    /// How many questions have had no answer.
    var unanswered: Int { Int(asked - answered) }

    mutating func begin(at now: Int64) {
        due = now + Self.interval
        answered = asked
    }

    mutating func end() { due = nil }

    /// The next question is due.
    /// - Returns: Its number; nil when the other side is to be counted as lost.
    mutating func beat(at now: Int64) -> UInt64? {
        guard asked - answered < Self.patience else { return nil }
        asked += 1
        due = now + Self.interval
        return asked
    }

    /// An answer came; one to a later question answers the earlier ones.
    mutating func heard(answerTo number: UInt64) {
        guard number <= asked else { return }
        answered = max(answered, number)
    }
}
