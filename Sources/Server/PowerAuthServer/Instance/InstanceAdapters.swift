// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import PowerAuthProtocol

/// The clock page of an instance as the server's clock.
struct InstanceClock: AdjustableServerClock {
    let clock: LabClock

    func now() -> ServerTime { ServerTime(milliseconds: clock.now().milliseconds) }

    /// The page may be moved or stopped by any process of the instance, so the page is what is waited on.
    func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm) {
        let cancellation = clock.makeCancellation()
        alarm.wait(wakingBy: { cancellation.cancel() }) {
            let moment = deadline.map { LabTime(milliseconds: min($0.milliseconds, Int64.max / 1_000_000)) }
            // An error of the clock page ends the wait; its instance is ending too.
            _ = try? clock.waitUntil(moment ?? LabTime(nanoseconds: .max), orCancelled: cancellation)
        }
    }

    func advance(milliseconds: Int64) throws { try clock.advance(by: .milliseconds(milliseconds)) }
}

/// The trace of an instance as the server's journal.
struct InstanceJournal: ServerJournal {
    let trace: TraceWriter

    func record(_ event: ServerEvent, operation: String?) {
        func emit(_ name: TraceEventName) { trace.emit(name, operation: operation, event.fields) }
        switch event {
        case .started: trace.emit(.processReady, operation: nil, event.fields)
        case .stopped: trace.emit(.processEnded, operation: nil, event.fields)
        case .requestReceived: emit(.serverRequest)
        case .requestAnswered: emit(.serverResponse)
        case .requestRefused: emit(.serverRefused)
        case .requestFaulted: emit(.serverFaulted)
        case .editFailed: emit(.serverUnedited)
        case .activationChanged: emit(.serverActivation)
        case .signatureVerified: emit(.serverSignature)
        case .pushSent: emit(.serverPush)
        }
    }
}

extension ServerFaults {
    /// The fault points of an instance's server: the rules are those for the server, and the turns those of the app
    /// whose request is worked on.
    ///
    /// The turn at `server.beforeCommit` is taken before the transaction begins. Transactions exclude each other, so
    /// no other one could come between its beginning and its commit anyway; and one that was held in between would keep
    /// all others waiting.
    init(_ table: FaultTable) {
        @Sendable func takeTurn(at point: FaultPoint) {
            if let app = CurrentApp.name { table.takeTurn(at: point.rawValue, of: app) }
        }
        func request(_ point: FaultPoint) -> @Sendable (String) throws -> Void {
            { path in
                takeTurn(at: point)
                try table.pass(point, process: InstanceServer.processName, about: path)
            }
        }
        self.init(
            areArmed: { table.isArmed }, requestReceived: request(.serverRequestReceived),
            beforeTransaction: { takeTurn(at: .serverBeforeCommit) },
            beforeCommit: { try table.pass(.serverBeforeCommit, process: InstanceServer.processName) },
            afterCommit: {
                takeTurn(at: .serverAfterCommit)
                try table.pass(.serverAfterCommit, process: InstanceServer.processName)
            },
            responseSent: request(.serverResponseSent))
    }
}
