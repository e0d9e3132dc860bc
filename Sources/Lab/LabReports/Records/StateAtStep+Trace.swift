// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

extension StateAtStep {
    /// Derives the state at a moment of `MonotonicClock`, in nanoseconds, from a trace in the order of time.
    init(_ events: [TraceEvent], until moment: UInt64) {
        self.init()
        for event in events {
            guard event.time <= moment else { break }
            // Durations are counted from here.
            let age = Double(moment - event.time) / 1_000_000
            addProcess(event)
            addStored(event)
            addHeld(event, age: age)
            addExchanged(event, age: age)
        }
    }

    /// Processes, devices and the clock.
    private mutating func addProcess(_ event: TraceEvent) {
        let name = event.text("peer").isEmpty ? event.process : event.text("peer")
        switch event.name {
        case .processStarted: start(event.process, event.incarnation, pid: event.number("pid"))
        case .processEnded: end(name, event.number("incarnation") ?? event.incarnation, reason: event.text("reason"))
        // No agent reports the death of the server.
        case .faultFired where event.text("action") == "kill":
            end(event.process, event.incarnation, reason: "signal SIGKILL")
        case .processSuspended: set(.suspended, name, event.number("incarnation"))
        case .processResumed: set(.running, name, event.number("incarnation"))
        case .deviceLocked: if !lockedDevices.contains(name) { lockedDevices.append(name) }
        case .deviceUnlocked: lockedDevices.removeAll { $0 == name }
        case .clockChanged:
            clock = Clock(
                offset: event.number("offset") ?? 0, isFrozen: event.flag("frozen"), rate: event.number("rate") ?? 1)
        default: break
        }
    }

    /// Stored data: sessions, tokens, keychain items, and the server's activations.
    private mutating func addStored(_ event: TraceEvent) {
        let app = event.process
        switch event.name {
        case .stateLoaded:
            change(app) { session in
                session.hasActivation = event.flag("activation")
                session.counter = event.number("counter") ?? session.counter
            }
        case .stateSaved:
            change(app) { session in
                session.hasActivation = true
                session.counter = event.number("counter") ?? session.counter
            }
        case .stateRemoved: change(app) { $0.hasActivation = false }
        case .counterBumped: change(app) { $0.counter = event.number("counter") }
        case .tokenStored:
            change(app) { session in
                session.tokens.removeAll { $0 == event.text("name") }
                session.tokens.append(event.text("name"))
            }
        case .tokenRemoved: change(app) { $0.tokens.removeAll { $0 == event.text("name") } }
        case .keychainWritten, .keychainDeleted:
            let item = Item(
                accessGroup: event.text("accessGroup"), service: event.text("service"), account: event.text("account"),
                writer: app)
            keychain.removeAll { $0.isSame(as: item) }
            if event.name == .keychainWritten { keychain.append(item) }
        case .serverActivation:
            let activation = Activation(
                activationId: event.text("activationId"), status: event.text("to"),
                reason: event.fields["reason"]?.stringValue)
            activations.removeAll { $0.activationId == activation.activationId }
            activations.append(activation)
        default: break
        }
    }

    /// Locks and operations, which block other apps.
    private mutating func addHeld(_ event: TraceEvent, age: Double) {
        let app = event.process
        let name = event.text("lock")
        switch event.name {
        case .lockRequested, .lockTaken, .lockReleased:
            locks.removeAll { $0.lock == name && $0.app == app }
            guard event.name != .lockReleased else { return }
            locks.append(Lock(lock: name, app: app, isHeld: event.name == .lockTaken, milliseconds: age))
        case .operationStarted: operations.append(Operation(type: event.text("type"), app: app, milliseconds: age))
        case .operationFinished: operations.removeAll { $0.type == event.text("type") }
        default: break
        }
    }

    /// Traffic between processes and devices: requests, links, messages.
    private mutating func addExchanged(_ event: TraceEvent, age: Double) {
        let app = event.process
        switch event.name {
        case .httpRequest: requests.append(Request(app: app, path: event.text("path"), milliseconds: age))
        case .httpResponse, .httpFailed:
            guard let index = requests.firstIndex(where: { $0.app == app && $0.path == event.text("path") }) else {
                return
            }
            requests.remove(at: index)
        case .linkUp, .linkDown:
            change(link: event.text("link")) { link in
                link.endsThatAreUp.removeAll { $0 == app }
                if event.name == .linkUp { link.endsThatAreUp.append(app) }
            }
        case .linkAccepted where event.text("kind") == "transfer":
            change(link: event.text("link")) { $0.underWay.append(event.text("id")) }
        case .linkTold:
            for index in links.indices { links[index].underWay.removeAll { $0 == event.text("id") } }
        case .sessionState:
            watchSessions.removeAll { $0.app == app }
            watchSessions.append(
                WatchSession(
                    app: app, isPaired: event.flag("paired"), isInstalled: event.flag("installed"),
                    isReachable: event.flag("reachable")))
        default: break
        }
    }

    private mutating func start(_ name: String, _ incarnation: Int, pid: Int?) {
        forget(name)
        processes.removeAll { $0.name == name }
        processes.append(Process(name: name, incarnation: incarnation, pid: pid))
    }

    private mutating func end(_ name: String, _ incarnation: Int, reason: String) {
        // A later process of the same app is still running.
        guard let index = processes.firstIndex(where: { $0.name == name && $0.incarnation == incarnation }) else {
            return
        }
        processes[index].state = .ended
        processes[index].reason = reason.isEmpty ? nil : reason
        forget(name)
    }

    /// Removes what ends with a process: its locks, its requests, and the state of its watch session. An operation
    /// lasts until an app clears it.
    private mutating func forget(_ name: String) {
        locks.removeAll { $0.app == name }
        requests.removeAll { $0.app == name }
        watchSessions.removeAll { $0.app == name }
    }

    private mutating func set(_ state: Process.State, _ name: String, _ incarnation: Int?) {
        guard let index = processes.firstIndex(where: { $0.name == name && $0.incarnation == incarnation }) else {
            return
        }
        processes[index].state = state
    }

    private mutating func change(_ app: String, _ body: (inout Session) -> Void) {
        if !sessions.contains(where: { $0.app == app }) { sessions.append(Session(app: app)) }
        for index in sessions.indices where sessions[index].app == app { body(&sessions[index]) }
    }

    private mutating func change(link: String, _ body: (inout Link) -> Void) {
        if !links.contains(where: { $0.link == link }) { links.append(Link(link: link)) }
        for index in links.indices where links[index].link == link { body(&links[index]) }
    }
}

extension StateAtStep.Item {
    fileprivate func isSame(as other: Self) -> Bool {
        accessGroup == other.accessGroup && service == other.service && account == other.account
    }
}

extension TraceEvent {
    /// A field; empty when missing.
    fileprivate func text(_ name: String) -> String { fields[name]?.stringValue ?? "" }

    fileprivate func number(_ name: String) -> Int? { fields[name]?.integerValue.map(Int.init(clamping:)) }

    fileprivate func flag(_ name: String) -> Bool { fields[name] == .bool(true) }
}
