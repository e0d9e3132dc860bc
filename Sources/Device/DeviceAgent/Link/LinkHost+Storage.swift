// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import SimulatedDevice

/// Handling of storage that refuses the link's writes (watch.md, section 9.7).
extension LinkHost {
    /// How long the other device is not listened to after that, in nanoseconds of real time.
    private static let retryPause: UInt64 = 1_000_000_000

    /// Whether the other device is listened to.
    var isListening: Bool { pause == nil }

    /// Takes the room for content that is to be queued.
    /// - Returns: The `WCError.Code` of the refusal; nil when there is room.
    func refusal(of bytes: Int) -> Int? {
        do {
            try disk.take(bytes: bytes)
            return nil
        } catch {
            let failure = StorageFailure(error)
            trace.emit(failure, of: "queue", bytes: bytes)
            return failure.code
        }
    }

    /// No part of a batch was stored, so no effect of it happens: waiting apps get the error of the storage, and the
    /// stored state is restored. The other device sends again what was not confirmed.
    /// - Throws: When the storage cannot even be read.
    func recover(from error: any Error, _ batch: [LinkEffect], _ perform: (LinkEffect) throws -> Void) throws {
        let failure = StorageFailure(error)
        trace.emit(failure, of: "queue")
        for effect in batch {
            switch effect {
            case .toApp(let app, var frame) where frame.kind == .transferQueued:
                if frame.sequence == 0 { frame.sequence = UInt64(failure.code) }
                try perform(.toApp(app, frame))
            case .toPeer(let frame) where !frame.restsOnStorage: try transmit(frame)
            case .toApp(_, let frame) where !frame.restsOnStorage: try perform(effect)
            case .launch, .wake, .linkChanged: try perform(effect)
            case .toPeer, .toApp, .store, .handOver, .greet, .finished: break
            }
        }
        let stored = try database.load(counterparts: link.setup.counterparts)
        effects += link.resume(from: stored, at: clock.now().nanoseconds)
        pause = MonotonicClock.nanoseconds() + Self.retryPause
    }
}

extension WatchLink {
    /// Restarts from the stored state, and with another connection.
    mutating func resume(from queues: StoredQueues, at now: Int64) -> [LinkEffect] {
        let farewell = handle(.shutdown, at: now)
        let lost = handle(.peerEnded, at: now)
        take(queues)
        return farewell + lost
    }
}

extension WatchLink.Input {
    /// How many bytes of content are to be queued; nil without content.
    var contentSize: Int? {
        switch self {
        case .fromApp(_, let frame) where frame.kind == .userInfo || frame.kind == .context: frame.body.count
        case .fromPeer(let frame) where [.userInfo, .filePart, .context].contains(frame.kind): frame.body.count
        case .file(_, _, _, let content): content.count
        default: nil
        }
    }
}

extension WatchFrame {
    /// Whether the frame states something that holds only once it is stored.
    fileprivate var restsOnStorage: Bool {
        switch kind {
        // A transfer that was handed over before needs no store to be handed over again.
        case .deliver: !flags.contains(.retransmission)
        case .context, .hello, .welcome, .userInfo, .userInfoAcknowledgement, .userInfoGap, .userInfoTombstone,
            .userInfoRefusal,
            .filePart, .contextAcknowledgement, .transferDone, .transferProgress:
            true
        default: false
        }
    }
}
