public import Foundation
import LabKit

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
        guard var line = Self.fields(of: event) else { return }
        line["time"] = .string(BackOfficeDate(clock.now()).text)
        if let operation { line["operation"] = .string(operation) }
        if let correlation = CurrentCorrelation.current { line["correlation"] = .string(correlation) }
        buffer.add(JSONValue.object(line).encoded() + [UInt8(ascii: "\n")])
    }

    private static func fields(of event: ServerEvent) -> [String: JSONValue]? {
        switch event {
        case .started(let port, let applicationId):
            ["event": "started", "port": .integer(Int64(port)), "applicationId": .string(applicationId)]
        case .stopped:
            ["event": "stopped"]
        case .requestReceived, .signatureVerified:
            nil
        case .requestAnswered(let method, let path, let status, let milliseconds):
            [
                "event": "request", "method": .string(method), "path": .string(path),
                "status": .integer(Int64(status)), "milliseconds": .number(milliseconds),
            ]
        case .requestRefused(let path, let code, let cause):
            ["event": "refused", "path": .string(path), "code": .string(code), "cause": .string(cause)]
        case .requestFaulted(let path, let fault, let id):
            ["event": "faulted", "path": .string(path), "fault": .string(fault), "id": .string(id)]
        case .pushSent(let id, let activationId, let type, let outcome):
            [
                "event": "push", "id": .string(id), "activationId": .string(activationId),
                "type": type.map { .string($0) } ?? .null, "outcome": outcome.map { .string($0.rawValue) } ?? .null,
            ]
        case .activationChanged(let id, let from, let to, let reason):
            [
                "event": "activation", "activationId": .string(id), "from": from.map { .string($0.name) } ?? .null,
                "to": .string(to.name), "reason": reason.map { .string($0) } ?? .null,
            ]
        }
    }
}
