// SPDX-License-Identifier: Apache-2.0

/// What processes share, by which a turn of one can affect a turn of another. An exploration plays only one of the
/// orders that differ in turns without such an effect.
///
/// The simulated platform and the SDKs note each access. They do not see what an app does by itself: files that it
/// opens through Foundation, sockets, memory or locks of its own. Of a group's container they count that its path was
/// asked for. An app with other channels to the apps beside it is explored incompletely. What only the steps of a
/// scenario change, such as the clock or whether a device is online, is not listed: such a step counts as an access to
/// everything.
public enum SharedThing: UInt8, CaseIterable, Sendable {
    /// The keychain of a device, whatever the item: a write also counts in the stamps of the others.
    case keychain
    /// The shared memory of sessions: its fields, its name, its size, and who uses it.
    case memory
    /// The preferences of app groups. Those of a single app are its own.
    case preferences
    /// The containers of app groups, with the lock for what an earlier installation left.
    case files
    /// The lock for one task of a shared session. Asking for it, taking it and releasing it are writes.
    case statusLock
    /// The lock for one signed request, as ``statusLock``.
    case queueLock
    /// The lock for an operation that excludes other apps, as ``statusLock``.
    case operationLock
    /// The server. Each request is a write: even one that only reads may count or prolong something.
    case server
    /// The devices with their agents, all as one, because a watch link connects them: messages and transfers,
    /// notifications, background tasks, dialogs, and storage that is nearly full.
    case device
    /// The answers to commands. A command reads it when it begins and writes it when it ends, because rules judge
    /// whether one had ended before another one began.
    case answers
    /// What an app has for itself: its own preferences, and whatever a program of the user's does. No turn of another app
    /// depends on it, but a death behind such a write leaves something else than one before it.
    case own

    fileprivate var bit: UInt32 { UInt32(1) << UInt32(rawValue) }
}

/// What was read and written in a turn.
public struct Footprint: Hashable, Sendable {
    /// A bit for each thing that was read: the one with the number of its raw value.
    public var reads: UInt32
    /// A bit for each thing that was written.
    public var writes: UInt32

    /// What may have touched anything, also things that are not listed. It conflicts with every footprint.
    public static let everything = Footprint(reads: .max, writes: .max)

    /// Makes a footprint; without arguments that of a turn which has touched nothing.
    public init(reads: UInt32 = 0, writes: UInt32 = 0) {
        (self.reads, self.writes) = (reads, writes)
    }

    /// Adds the read of a thing.
    public mutating func read(_ thing: SharedThing) { reads |= thing.bit }
    /// Adds the write of a thing.
    public mutating func write(_ thing: SharedThing) { writes |= thing.bit }

    /// Adds what another footprint has.
    public mutating func formUnion(_ other: Footprint) {
        reads |= other.reads
        writes |= other.writes
    }

    /// Whether the order of the two turns can matter: one has written what the other has read or written, or one may
    /// have touched anything.
    public func conflicts(with other: Footprint) -> Bool {
        let shared = ~SharedThing.own.bit
        return self == .everything || other == .everything
            || writes & (other.reads | other.writes) & shared != 0 || reads & other.writes & shared != 0
    }
}
