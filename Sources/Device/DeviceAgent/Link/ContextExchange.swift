// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// Application contexts: the newest one replaces all older ones, and arrives also after restarts (watch.md,
/// sections 9.5 and 11.6).
///
/// A value that decides and does nothing else.
struct ContextExchange: Equatable, Sendable {
    /// A greater version is invalid: the database and further increments need the range.
    static let greatestVersion = UInt64(Int64.max) - 1

    /// A context and its version.
    struct Context: Equatable, Sendable {
        var version: UInt64
        var body: Data
        /// Own context: the other side has it. Received context: the app's delegate has it.
        var isDone: Bool
        /// Receiving app of an own context; empty for a received one.
        var destination = ""

        /// Of the context of an uninstalled app only the number is kept: a later context must not be taken for it, nor
        /// a late one for the next app's.
        var isForgotten: Bool { body.isEmpty }

        fileprivate mutating func forget() {
            body = Data()
            isDone = true
        }
    }

    /// A context that an app's process was given and has not confirmed.
    private struct Telling: Equatable {
        var name: UUID
        var version: UInt64
    }

    /// The last context of each app of this device.
    private(set) var own: [String: Context] = [:]
    /// The last context received for each app of this device.
    private(set) var received: [String: Context] = [:]
    /// For each app of the other device: the version of the context that it has, as last reported.
    private var heard: [String: UInt64] = [:]
    /// By app.
    private var telling: [String: Telling] = [:]

    init(own: [String: Context] = [:], received: [String: Context] = [:]) {
        self.own = own
        self.received = received
    }

    mutating func update(_ body: Data, of app: String, for destination: String, isUp: Bool) -> [LinkEffect] {
        let context = Context(
            version: max(own[app]?.version ?? 0, heard[destination] ?? 0) + 1, body: body, isDone: false,
            destination: destination)
        own[app] = context
        return [.store(.context(app: app, version: context.version, body: body))] + (isUp ? [frame(of: context)] : [])
    }

    /// The versions of the own contexts that the other device is not known to have.
    var unconfirmed: [String: UInt64] { own.filter { !$0.value.isDone }.mapValues(\.version) }

    /// The other device has greeted, and has reported its versions.
    ///
    /// It may remember more than this device has sent since its memory was lost: what is not confirmed then gets a number
    /// that is new for it.
    mutating func connect(_ versions: [String: UInt64]) -> [LinkEffect] {
        heard = versions.filter { $0.value < Self.greatestVersion }
        var effects: [LinkEffect] = []
        for (app, context) in own.sorted(by: { $0.key < $1.key }) where !context.isDone {
            guard let version = heard[context.destination], version >= context.version else { continue }
            own[app]?.version = version + 1
            effects.append(.store(.context(app: app, version: version + 1, body: context.body)))
        }
        return effects + retransmit()
    }

    /// Contexts were not confirmed for a while.
    func retransmit() -> [LinkEffect] {
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
    /// - Parameter canTell: Whether the app can be notified now.
    mutating func receive(_ frame: WatchFrame, canTell: Bool) -> [LinkEffect] {
        let acknowledgement = LinkEffect.toPeer(
            WatchFrame(.contextAcknowledgement, sequence: frame.sequence, app: frame.app))
        let previous = received[frame.app]
        guard frame.sequence > previous?.version ?? 0 else { return [acknowledgement] }
        // The same content under another number is not reported again.
        let isTold = previous?.body == frame.body && previous?.isDone == true
        received[frame.app] = Context(version: frame.sequence, body: frame.body, isDone: isTold)
        let stored = LinkEffect.store(
            .contextReceived(app: frame.app, version: frame.sequence, body: frame.body, isTold: isTold))
        return [stored, acknowledgement] + (canTell ? tell(frame.app) : [])
    }

    /// The last context received can be delivered to the app, unless its delegate already has it.
    mutating func tell(_ app: String) -> [LinkEffect] {
        guard let context = received[app], !context.isDone, telling[app]?.version != context.version else { return [] }
        let telling = Telling(name: UUID(), version: context.version)
        self.telling[app] = telling
        return [
            .toApp(
                app,
                WatchFrame(
                    .context, flags: .propertyList, messageId: telling.name, app: app, body: context.body))
        ]
    }

    /// Whether the delegate of an app does not have the last context received.
    func isWaiting(for app: String) -> Bool { received[app].map { !$0.isDone } ?? false }

    /// The delegate of an app has received the context that was delivered under a name.
    mutating func told(_ name: UUID, by app: String) -> [LinkEffect] {
        guard let telling = telling[app], telling.name == name, received[app]?.version == telling.version else {
            return []
        }
        self.telling[app] = nil
        received[app]?.isDone = true
        return [.store(.contextTold(app: app))]
    }

    /// The app's process ended; what it has not confirmed is delivered to the next one.
    mutating func processEnded(_ app: String) { telling[app] = nil }

    /// What an app that activates its session has from before: its own context, and the one delivered to it.
    func known(by app: String) -> [LinkEffect] {
        var effects: [LinkEffect] = []
        if let context = own[app], !context.isForgotten {
            effects.append(.toApp(app, WatchFrame(.ownContext, flags: .propertyList, app: app, body: context.body)))
        }
        if let context = received[app], context.isDone, !context.isForgotten {
            effects.append(
                .toApp(
                    app,
                    WatchFrame(.context, flags: [.propertyList, .retransmission], app: app, body: context.body)))
        }
        return effects
    }

    mutating func forget(_ app: String) {
        own[app]?.forget()
        received[app]?.forget()
        telling[app] = nil
    }

    private func frame(of context: Context) -> LinkEffect {
        .toPeer(
            WatchFrame(
                .context, flags: .propertyList, sequence: context.version, app: context.destination,
                body: context.body))
    }
}
