// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabSystem
import Synchronization

/// How one device reaches the network; shared by the device's agent and all its apps. A new device is in a wireless
/// network.
///
/// It is stored in a mapped word, so that every process sees a change at once and a waiting one is woken. Only the
/// current state counts: changes in quick succession may be seen as one.
///
/// Thread rule: any thread; nothing blocks the caller. Observers run on a thread of the connectivity's own.
public final class DeviceConnectivity: Sendable {
    private struct State {
        var next = 0
        var observers: [Int: @Sendable (NetworkConnection) -> Void] = [:]
        var isWatching = false
    }

    /// Keeps an observer; it ends with the last reference, or with ``cancel()``.
    public final class Observation: Sendable {
        private let connectivity: DeviceConnectivity
        private let key: Int

        fileprivate init(_ connectivity: DeviceConnectivity, _ key: Int) {
            self.connectivity = connectivity
            self.key = key
        }

        deinit { cancel() }

        /// Ends the observation. A call in progress continues.
        public func cancel() { connectivity.remove(key) }
    }

    private let page: MappedMemory
    /// The low byte is the connection, the rest counts changes, so that no wait misses one.
    private let word: MappedWord32
    private let state = Mutex(State())

    /// Opens the connectivity of a device; it is created if it does not exist yet.
    public init(layout: InstanceLayout, device: DeviceSpec) throws {
        let directory = layout.deviceDirectory(device.name)
        let path = directory + "/connectivity"
        if !Files.exists(path) {
            if !Files.exists(directory) { try Files.createDirectory(directory) }
            // One process makes the file; the others use that one.
            try FileLock(path: path + ".lock").withLock {
                if !Files.exists(path) { try Files.write(Data(count: 4), to: path) }
            }
        }
        page = try MappedMemory.file(path, size: 4, create: false)
        word = page.word32(at: 0)
    }

    /// How the device reaches the network now.
    public var connection: NetworkConnection { Self.connection(in: word.loadAcquire()) }
    /// Whether anything can be sent.
    public var isOnline: Bool { connection != .none }

    /// Changes how the device reaches the network. Exchanges in progress continue.
    public func set(_ connection: NetworkConnection) { change { _ in connection } }

    /// Calls `observer` after each change, not for the present state.
    public func onChange(_ observer: @escaping @Sendable (NetworkConnection) -> Void) -> Observation {
        let (key, starts) = state.withLock { state in
            state.next += 1
            state.observers[state.next] = observer
            defer { state.isWatching = true }
            return (state.next, !state.isWatching)
        }
        if starts {
            let seen = word.loadAcquire()
            runOnThread(name: "connectivity") { self.watch(since: seen) }
        }
        return Observation(self, key)
    }

    private func remove(_ key: Int) {
        let wasThere = state.withLock { $0.observers.removeValue(forKey: key) != nil }
        // The thread checks whether an observer is left.
        if wasThere { change { $0 } }
    }

    /// The thread of the observers, which lives as long as there is one.
    private func watch(since value: UInt32) {
        var seen = value
        while true {
            // Only a word that is not mapped fails to be waited for; this one is.
            guard (try? Futex.wait(word, while: seen)) != nil else { return }
            let value = word.loadAcquire()
            let observers = state.withLock { state in
                if state.observers.isEmpty { state.isWatching = false }
                return state.observers.sorted { $0.key < $1.key }.map(\.value)
            }
            guard !observers.isEmpty else { return }
            let (before, now) = (Self.connection(in: seen), Self.connection(in: value))
            seen = value
            if before != now { for observer in observers { observer(now) } }
        }
    }

    private func change(_ change: (NetworkConnection) -> NetworkConnection) {
        while true {
            let old = word.loadAcquire()
            let connection = change(Self.connection(in: old))
            let index = NetworkConnection.allCases.firstIndex(of: connection) ?? 0
            let new = (old & ~0xff) &+ 0x100 | UInt32(index)
            if word.compareExchange(expected: old, desired: new) { break }
        }
        Futex.wakeAll(word)
    }

    private static func connection(in value: UInt32) -> NetworkConnection {
        let (cases, index) = (NetworkConnection.allCases, Int(value & 0xff))
        return cases.indices.contains(index) ? cases[index] : .wifi
    }
}

/// How a device reaches the network.
public enum NetworkConnection: String, CaseIterable, Codable, Sendable {
    /// Over a wireless network, which costs nothing.
    case wifi
    /// Over the mobile network, which costs money.
    case cellular
    /// Over a cable.
    case wired
    /// Not at all.
    case none
}
