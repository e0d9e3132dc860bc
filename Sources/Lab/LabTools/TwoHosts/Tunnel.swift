// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabSystem
import Synchronization

/// Carries connections of a guest's apps to the owner's server, which listens on the loopback of its own machine, inside
/// the encrypted connection of the two labs.
///
/// Thread rule: any thread. Each connection has a thread that reads and a queue that writes.
final class Tunnel: Sendable {
    private struct Stream: Sendable {
        let file: FileDescriptor
        let writing: DispatchQueue
    }

    private struct State: Sendable {
        var streams: [UInt64: Stream] = [:]
        // Numbers start at a random value, so that late bytes of a former guest match no connection.
        var last = UInt64(UInt32.random(in: 0 ... .max)) << 16
        var listener: FileDescriptor?
    }

    private let connect: (@Sendable () throws -> FileDescriptor)?
    private let send: @Sendable (JoinMessage) -> Void
    private let state = Mutex(State())

    /// One end of a tunnel.
    /// - Parameter connect: at the owner's end: makes a connection to the server.
    init(connect: (@Sendable () throws -> FileDescriptor)? = nil, send: @escaping @Sendable (JoinMessage) -> Void) {
        self.connect = connect
        self.send = send
    }

    /// The guest's end: accepts connections on loopback from here on.
    /// - Returns: the port.
    func listen() throws -> Int {
        let (listener, port) = try TCPSocket.listenOnLoopback()
        state.withLock { $0.listener = listener }
        runOnThread(name: "tunnel") { [weak self] in
            while let file = TCPSocket.accept(listener) {
                guard let self else { return }
                let id = state.withLock { state in
                    state.last += 1
                    return state.last
                }
                begin(id, file)
            }
        }
        return port
    }

    /// Receives bytes from the other end.
    func receive(_ id: UInt64, _ data: Data) {
        var stream = state.withLock { $0.streams[id] }
        if stream == nil, let connect {
            guard let file = try? connect() else { return send(.streamEnd(id: id)) }
            stream = begin(id, file)
        }
        guard let stream else { return }
        // A connection that accepts no more bytes is ended by its reader.
        stream.writing.async { try? stream.file.writeAll(data) }
    }

    /// The other end of a connection has closed: the bytes it sent are still written.
    func end(_ id: UInt64) {
        guard let stream = state.withLock({ $0.streams[id] }) else { return }
        stream.writing.async { TCPSocket.end(stream.file) }
    }

    /// Ends all connections: the other end is gone.
    func endAll() { for stream in state.withLock({ Array($0.streams.values) }) { TCPSocket.end(stream.file) } }

    /// Ends everything.
    func close() {
        if let listener = state.withLock({ $0.listener }) { TCPSocket.end(listener) }
        endAll()
    }

    @discardableResult
    private func begin(_ id: UInt64, _ file: FileDescriptor) -> Stream {
        let stream = Stream(file: file, writing: DispatchQueue(label: "tunnel \(id)"))
        state.withLock { $0.streams[id] = stream }
        runOnThread(name: "tunnel \(id)") { [weak self] in
            while let data = try? file.read(count: 65_536), !data.isEmpty { self?.send(.stream(id: id, data: data)) }
            _ = self?.state.withLock { $0.streams.removeValue(forKey: id) }
            self?.send(.streamEnd(id: id))
        }
        return stream
    }
}
