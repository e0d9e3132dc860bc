import LabKit
import PowerAuthProtocol

/// The clock page of an instance as the server's clock.
struct InstanceClock: AdjustableServerClock {
    let clock: LabClock

    func now() -> ServerTime {
        ServerTime(milliseconds: clock.now().milliseconds)
    }

    /// The page may be moved or stopped by any process of the instance, so the page is what is waited on.
    func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm) {
        let cancellation = clock.makeCancellation()
        alarm.wait(wakingBy: { cancellation.cancel() }) {
            let moment = deadline.map { LabTime(milliseconds: min($0.milliseconds, Int64.max / 1_000_000)) }
            // An error of the clock page ends the wait; its instance is ending too.
            _ = try? clock.waitUntil(moment ?? LabTime(nanoseconds: .max), orCancelled: cancellation)
        }
    }

    func advance(milliseconds: Int64) throws {
        try clock.advance(by: .milliseconds(milliseconds))
    }
}

/// The trace of an instance as the server's journal.
struct InstanceJournal: ServerJournal {
    let trace: TraceWriter

    func record(_ event: ServerEvent, operation: String?) {
        switch event {
        case .started(let port, let applicationId):
            trace.emit(
                .processReady, ["port": .integer(Int64(port)), "applicationId": .string(applicationId)])
        case .stopped:
            trace.emit(.processEnded)
        case .requestReceived(let method, let path):
            trace.emit(
                .serverRequest, operation: operation, ["method": .string(method), "path": .string(path)])
        case .requestAnswered(let method, let path, let status, let milliseconds):
            trace.emit(
                .serverResponse, operation: operation,
                [
                    "method": .string(method), "path": .string(path), "status": .integer(Int64(status)),
                    "milliseconds": .number(milliseconds),
                ])
        case .requestRefused(let path, let code, let cause):
            trace.emit(
                .serverRefused, operation: operation,
                ["path": .string(path), "code": .string(code), "cause": .string(cause)])
        case .requestFaulted(let path, let fault, let id):
            trace.emit(
                .serverFaulted, operation: operation,
                ["path": .string(path), "fault": .string(fault), "id": .string(id)])
        case .activationChanged(let id, let from, let to, let reason):
            trace.emit(
                .serverActivation, operation: operation,
                [
                    "activationId": .string(id), "from": from.map { .string($0.name) } ?? .null,
                    "to": .string(to.name), "reason": reason.map { .string($0) } ?? .null,
                ])
        case .pushSent(let id, let activationId, let type, let outcome):
            trace.emit(
                .serverPush, operation: operation,
                [
                    "id": .string(id), "activationId": .string(activationId),
                    "type": type.map { .string($0) } ?? .null,
                    "outcome": outcome.map { .string($0.rawValue) } ?? .null,
                ])
        case .signatureVerified(let id, let type, let valid, let counter, let failedAttempts):
            trace.emit(
                .serverSignature, operation: operation,
                [
                    "activationId": .string(id), "type": .string(type), "valid": .bool(valid),
                    "counter": .integer(Int64(clamping: counter)), "failedAttempts": .integer(Int64(failedAttempts)),
                ])
        }
    }
}

extension ServerFaults {
    /// The fault points of an instance's server.
    init(_ table: FaultTable) {
        func point(_ point: FaultPoint) -> @Sendable () throws -> Void {
            { try table.pass(point, process: InstanceServer.processName) }
        }
        func request(_ point: FaultPoint) -> @Sendable (String) throws -> Void {
            { path in try table.pass(point, process: InstanceServer.processName, about: path) }
        }
        self.init(
            areArmed: { table.isArmed },
            requestReceived: request(.serverRequestReceived), beforeCommit: point(.serverBeforeCommit),
            afterCommit: point(.serverAfterCommit), responseSent: request(.serverResponseSent))
    }
}
