import Foundation
import SimulatedDevice

/// Application contexts: the newest one replaces all older ones, and arrives also after restarts (watch.md,
/// sections 9.5 and 11.6).
///
/// A value that decides and does nothing else.
struct ContextExchange: Equatable, Sendable {
    /// A context and its version.
    struct Context: Equatable, Sendable {
        var version: UInt64
        var body: Data
        /// Own context: the other side has it. Received context: the app has it.
        var isDone: Bool
        /// Receiving app of an own context; empty for a received one.
        var destination = ""
    }

    /// The last context of each app of this device.
    private(set) var own: [String: Context] = [:]
    /// The last context received for each app of this device.
    private(set) var received: [String: Context] = [:]

    init(own: [String: Context] = [:], received: [String: Context] = [:]) {
        self.own = own
        self.received = received
    }

    /// An app replaces its context.
    mutating func update(_ body: Data, of app: String, for destination: String, isUp: Bool) -> [LinkEffect] {
        let context = Context(
            version: (own[app]?.version ?? 0) + 1, body: body, isDone: false, destination: destination)
        own[app] = context
        return [.store(.context(app: app, version: context.version, body: body))]
            + (isUp ? [frame(of: context)] : [])
    }

    /// The versions of the own contexts that the other device is not known to have.
    var unconfirmed: [String: UInt64] {
        own.filter { !$0.value.isDone }.mapValues(\.version)
    }

    /// The other device is in range, or has not confirmed for a while.
    func connect() -> [LinkEffect] {
        own.sorted { $0.key < $1.key }.filter { !$0.value.isDone }.map { frame(of: $0.value) }
    }

    /// The other side has a context.
    mutating func acknowledge(_ frame: WatchFrame) -> [LinkEffect] {
        guard let app = own.first(where: { $0.value.destination == frame.app })?.key,
            own[app]?.version == frame.sequence
        else { return [] }
        own[app]?.isDone = true
        return [.store(.contextAcknowledged(app: app, version: frame.sequence))]
    }

    /// The other side's context arrived.
    mutating func receive(_ frame: WatchFrame, isActivated: Bool) -> [LinkEffect] {
        let acknowledgement = LinkEffect.toPeer(
            WatchFrame(.contextAcknowledgement, sequence: frame.sequence, app: frame.app))
        guard frame.sequence > (received[frame.app]?.version ?? 0) else { return [acknowledgement] }
        received[frame.app] = Context(version: frame.sequence, body: frame.body, isDone: isActivated)
        let stored = LinkEffect.store(
            .contextReceived(app: frame.app, version: frame.sequence, body: frame.body))
        return [stored, acknowledgement] + (isActivated ? [delivery(of: frame.body, to: frame.app)] : [])
    }

    /// An app activated its session: it gets the last context received.
    mutating func activated(_ app: String) -> [LinkEffect] {
        guard let context = received[app] else { return [] }
        received[app]?.isDone = true
        return [delivery(of: context.body, to: app)]
    }

    private func frame(of context: Context) -> LinkEffect {
        .toPeer(
            WatchFrame(
                .context, flags: .propertyList, sequence: context.version, app: context.destination,
                body: context.body))
    }

    private func delivery(of body: Data, to app: String) -> LinkEffect {
        .toApp(app, WatchFrame(.context, flags: .propertyList, app: app, body: body))
    }
}
