import Foundation
package import SimulatedDevice

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
    package mutating func canGreet() -> Bool {
        (try? link.hello().decodeBody(GreetingBody.self))?.device == "phone"
    }

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
