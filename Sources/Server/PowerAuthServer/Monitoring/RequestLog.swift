// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabCore
import Synchronization

/// The log of a server on its own: one JSON object a line for every answered or refused request.
///
/// Bodies, headers and anything secret never stand in it. Thread rule: any thread; lines are written whole.
public final class RequestLog: ServerJournal {
    private let clock: any ServerClock
    private let buffer: LineBuffer

    /// - Parameters:
    ///   - clock: dates the lines.
    ///   - write: takes one line with its end, or several; called from several threads, one after the other.
    public init(clock: any ServerClock, write: @escaping @Sendable (Data) -> Void) {
        self.clock = clock
        buffer = LineBuffer { write(Data($0)) }
    }

    /// Writes a line, unless the event is of no interest to an operator.
    public func record(_ event: ServerEvent, operation: String?) {
        guard let name = Self.name(of: event) else { return }
        var line = event.fields
        line["event"] = .string(name)
        line["time"] = .string(BackOfficeDate(clock.now()).text)
        if let operation { line["operation"] = .string(operation) }
        if let correlation = CurrentCorrelation.current { line["correlation"] = .string(correlation) }
        buffer.add(JSONValue.object(line).encoded() + [UInt8(ascii: "\n")])
    }

    private static func name(of event: ServerEvent) -> String? {
        switch event {
        case .started: "started"
        case .stopped: "stopped"
        case .requestAnswered: "request"
        case .requestRefused: "refused"
        case .requestFaulted: "faulted"
        case .editFailed: "unedited"
        case .pushSent: "push"
        case .activationChanged: "activation"
        case .requestReceived, .signatureVerified: nil
        }
    }
}

/// Lines that several threads write, whole and in one order.
///
/// One thread writes; lines added meanwhile by others are combined in its next write, and their threads do not wait. If
/// no other thread is writing, a line is written when ``add(_:)`` returns.
///
/// Thread rule: any thread.
final class LineBuffer: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
    }

    /// How many bytes may wait for a slow reader: beyond that, threads wait to add lines.
    private static let capacity = 1 << 20

    private let state = Mutex(State())
    private let write: @Sendable ([UInt8]) -> Void
    /// Held by the writing thread.
    private let writing = Mutex(())

    /// - Parameter write: takes some lines; called by one thread at a time.
    init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// Adds lines, each with its end.
    func add(_ lines: some Sequence<UInt8> & Sendable) {
        let (mustWrite, isFull) = state.withLock { state in
            state.waiting.append(contentsOf: lines)
            defer { state.isWriting = true }
            return (!state.isWriting, state.waiting.count > Self.capacity)
        }
        if mustWrite {
            writing.withLock { _ in while let lines = next() { write(lines) } }
        } else if isFull {
            writing.withLock { _ in }
        }
    }

    /// Nil when nothing is left; then another thread may write.
    private func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
