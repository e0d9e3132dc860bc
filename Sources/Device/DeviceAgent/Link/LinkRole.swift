import SimulatedDevice

/// What a phone does with one of its watches; a watch has one phone, whose link is always active.
enum LinkRole: Equatable, Sendable {
    /// The watch that the phone uses.
    case active
    /// Another watch is used. This one is not served, as if it were out of range; its queues wait.
    case idle
    /// The watch is no longer paired.
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
