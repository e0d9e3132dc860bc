// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
package import SimulatedDevice
import ZeroMQ

/// The socket of one link: the phone's agent listens, the watch's agent connects. The connection is encrypted, and each side
/// knows the other by its key (watch.md, section 11.8).
///
/// Belongs to the thread that made it.
final class LinkPort {
    let socket: ZeroMQSocket
    private let isListening: Bool
    /// Phone: address of the watch agent that spoke last.
    private var peer: Data?
    /// Phone: only one process may listen; a second bind would silently take the path over.
    private let guardLock: FileLock?
    private let layout: InstanceLayout
    private let link: LinkSpec
    /// Watch: where it connects to.
    private var invitation: LinkInvitation?
    /// How many messages were received.
    private(set) var received = 0

    /// Whether the other agent may be on another machine, where its process cannot be seen.
    var isRemote: Bool { link.transport == .tcp }

    /// - Parameter tcpAddress: where a phone listens that is to be reached from another host; nil for loopback.
    init(layout: InstanceLayout, link: LinkSpec, isWatch: Bool, process: UInt64, tcpAddress: String?) throws {
        isListening = !isWatch
        self.layout = layout
        self.link = link
        let endpoint = InstanceEndpoint.link(link.name)
        let address = try layout.address(of: endpoint)
        socket = try ZeroMQSocket(.shared, isWatch ? .dealer : .router)
        try socket.set(.sendHighWaterMark(0))
        try socket.set(.receiveHighWaterMark(0))
        try socket.set(.maxMessageSize(524_288))
        if isWatch {
            guardLock = nil
            try socket.set(.routingID(Data("\(link.watch)-\(process)".utf8)))
            // Nothing may wait in the socket for a phone that is not there.
            try socket.set(.immediate(true))
            try socket.set(.reconnectInterval(first: 5, maximum: 200))
        } else {
            let lock = try FileLock(path: layout.endpointLockPath(endpoint))
            guard try lock.tryLock() else { throw AgentError.endpointTaken(address) }
            guardLock = lock
            try socket.set(.routerMandatory(true))
            try listen(at: link.transport == .tcp ? tcpAddress ?? "tcp://127.0.0.1:*" : address)
        }
    }

    /// Listens for the only watch that is invited.
    private func listen(at address: String) throws {
        let (own, watch) = (try CurveKeyPair(), try CurveKeyPair())
        let domain = link.name
        try CurveGate.shared.get().admit(watch.publicKey, to: domain)
        try socket.set(.curveServer(own.secretKey, domain: domain))
        try socket.bind(address)
        try LinkInvitation(endpoint: try socket.lastEndpoint(), phone: own.publicKey, watch: watch).write(layout, link)
    }

    /// Watch: connects to where the phone listens now. A phone that has started again has other keys.
    func seekListener() throws {
        guard !isListening, let current = try LinkInvitation.read(layout, link), current != invitation else { return }
        if let former = invitation { try socket.disconnect(former.endpoint) }
        invitation = current
        try socket.set(.curveClient(of: current.phone, current.watch))
        try socket.connect(current.endpoint)
    }

    /// Sends a frame; a frame that cannot leave now is lost, as on the air. What must not be lost is sent again.
    /// - Returns: Whether the frame has left.
    func send(_ parts: [Data]) throws -> Bool {
        guard isListening else { return try socket.send(parts) }
        guard let peer else { return false }
        return try socket.send([peer] + parts)
    }

    /// The next frame; nil if none has arrived.
    /// - Parameters:
    ///   - greetings: Which greetings count: none of an unpaired device, and no late one.
    ///   - refuse: Receives the reason for each dropped frame, in words.
    func receive(checking greetings: GreetingRules, refuse: (String) -> Void) throws -> WatchFrame? {
        while var parts = try socket.receive() {
            received += 1
            var address: Data?
            if isListening { address = parts.removeFirst() }
            let frame: WatchFrame
            do {
                frame = try WatchFrame(parts: parts)
            } catch {
                refuse(error.description)
                if case .version = error { try answerUnknownVersion(to: address) }
                continue
            }
            if frame.kind == .hello || frame.kind == .welcome {
                do throws(GreetingRefusal) {
                    _ = try greetings.read(frame)
                } catch {
                    refuse(error.description)
                    continue
                }
            }
            // The newest agent that greets is the watch; frames of an earlier process are late.
            if frame.kind == .hello { peer = address }
            if isListening && address != peer { continue }
            return frame
        }
        return nil
    }

    private func answerUnknownVersion(to address: Data?) throws {
        let farewell = WatchFrame(.bye, sequence: ByeReason.version.rawValue).parts
        _ = try socket.send((address.map { [$0] } ?? []) + farewell)
    }
}

/// One end of a link without an agent: it reads the frames of another agent and does nothing else. It must withstand
/// any input; tests and fuzz targets check it.
package struct ListeningLink {
    private var link: WatchLink

    /// A phone's end that a watch has greeted.
    package init() {
        link = WatchLink(
            setup: WatchLink.Setup(
                name: "link", device: "phone", peer: "watch", isWatch: false, counterparts: ["main": "companion"],
                pid: 1,
                process: 1),
            queues: StoredQueues(outbox: Outbox(epoch: 1)), isInRange: true)
        let present = AppPresence(isAttached: true, isActivated: true, isForeground: true)
        _ = link.handle(.appChanged("main", present), at: 0)
        hear(Self.greeting)
    }

    /// Takes a frame of the other agent, and everything that becomes due.
    package mutating func hear(_ frame: WatchFrame) {
        for input in [WatchLink.Input.fromPeer(frame), .beat, .retransmit, .labTimePassed] {
            _ = link.handle(input, at: 1_000_000_000)
        }
    }

    /// Whether the end can still greet, so that the other agent understands it.
    package mutating func canGreet() -> Bool { (try? link.hello().decodeBody(GreetingBody.self))?.device == "phone" }

    /// Frames with bodies that agents write for each other.
    package static var examples: [WatchFrame] {
        [
            greeting,
            WatchFrame(.state, sequence: 1, body: WatchFrame.body(PublishedState(apps: ["companion": .init()]))),
            WatchFrame(.userInfoRefusal, epoch: 1, sequence: 1, body: WatchFrame.body(RefusalBody(code: 7015))),
            WatchFrame(.userInfoAcknowledgement, epoch: 1, sequence: 1, body: WatchFrame.body([UInt64(1)])),
            WatchFrame(.userInfoGap, epoch: 1, sequence: 1, body: WatchFrame.body([UInt64(1), 2])),
        ]
    }

    private static var greeting: WatchFrame {
        let identifier = GreetingBody.Identifier(process: 1, number: 1)
        return WatchFrame(
            .hello,
            body: WatchFrame.body(
                GreetingBody(
                    device: "watch", pairing: WatchLink.firstPairing, identifier: identifier, answers: nil, pid: 2,
                    epoch: 7,
                    receivedEpoch: 1,
                    receivedSequence: 0, skipped: [], receivedContexts: [:])))
    }
}

/// How the watch's agent reaches the phone's: the address and the keys of one start of the phone's agent. The file is for the
/// owner of the instance alone; a holder of it can be the watch.
struct LinkInvitation: Codable, Equatable {
    /// Where the phone's agent listens.
    var endpoint: String
    /// By which the watch knows the phone.
    var phone: CurvePublicKey
    /// By which the phone knows the watch.
    var watch: CurveKeyPair

    /// The invitation of a link; nil while it does not exist.
    static func read(_ layout: InstanceLayout, _ link: LinkSpec) throws -> LinkInvitation? {
        guard let data = try? Files.read(layout.invitationPath(link.name)) else { return nil }
        return try? JSONDecoder().decode(LinkInvitation.self, from: data)
    }

    /// Replaces the invitation in one step.
    func write(_ layout: InstanceLayout, _ link: LinkSpec) throws {
        try Files.write(JSONTextEncoder.encode(self), to: layout.invitationPath(link.name))
    }
}
