// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabVocabulary
import ScenarioEngine

// The page derives the state, too, after every event and with all that the bench draws (`CReportPage/front/state.js`):
// with the changes written into it, it would be a seventh longer. `Tools/scripts/test_moments.py` compares the two.

extension StateAtStep {
    /// Derives the state at a moment of a scenario.
    /// - Parameters:
    ///   - events: The traces, in the order of time.
    ///   - history: Its first line names the devices; the answers to commands show what no process emits an event for.
    ///   - moment: On `MonotonicClock`, in nanoseconds.
    init(_ events: [TraceEvent], _ history: [HistoryEvent], until moment: UInt64) {
        self.init()
        var devices: [HistoryEvent.Device] = []
        if case .scenarioStarted(let start)? = history.first?.fact { devices = start.devices }
        var answers = history.filter { $0.kind == .command && $0.time <= moment }.sorted { $0.time < $1.time }[...]
        for event in events {
            guard event.time <= moment else { break }
            while let answer = answers.first, answer.time < event.time {
                addAnswer(answer, devices)
                answers.removeFirst()
            }
            // Durations are counted from here.
            let age = Double(moment - event.time) / 1_000_000
            addProcess(event, devices)
            addStored(event)
            addHeld(event, age: age)
            addExchanged(event, age: age)
        }
        for answer in answers { addAnswer(answer, devices) }
    }

    /// What only the answer to a command shows.
    private mutating func addAnswer(_ event: HistoryEvent, _ devices: [HistoryEvent.Device]) {
        guard case .command(let call) = event.fact, call.error == nil else { return }
        if let device = devices.first(where: { $0.name == call.actor }) {
            switch call.command {
            case Reboot.name, SwitchOnDevice.name: lock(device.name)
            case UnlockDevice.name: unlock(device.name)
            case Erase.name, RestoreBackup.name:
                keychain.removeAll { $0.device == device.name }
                for app in device.apps { change(app) { $0 = Session(app: app) } }
            default: break
            }
        } else if call.command == Uninstall.name || call.command == Reinstall.name {
            processes.removeAll { $0.name == call.actor }
            // Its items in the keychain stay, and so do its tokens.
            change(call.actor) { session in
                session.hasActivation = nil
                session.counter = nil
            }
        }
    }

    /// Processes, devices and the clock.
    private mutating func addProcess(_ event: TraceEvent, _ devices: [HistoryEvent.Device]) {
        let name = event.text("peer").isEmpty ? event.process : event.text("peer")
        switch event.name {
        case .processStarted:
            let device = devices.first { $0.name == event.process || $0.apps.contains(event.process) }
            start(
                Process(
                    name: event.process, incarnation: event.incarnation, device: device?.name, pid: event.number("pid")
                ))
        case .processEnded: end(name, event.number("incarnation") ?? event.incarnation, reason: event.text("reason"))
        // No agent reports the death of the server, nor its own.
        case .faultFired where event.text("action") == "kill":
            end(event.process, event.incarnation, reason: "signal SIGKILL")
        case .processSuspended: set(.suspended, name, event.number("incarnation"))
        case .processResumed: set(.running, name, event.number("incarnation"))
        case .deviceLocked: lock(name)
        case .deviceUnlocked: unlock(name)
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
                device: process(app)?.device, accessGroup: event.text("accessGroup"), service: event.text("service"),
                account: event.text("account"), writer: app)
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

    /// Locks, and operations with the shared memory that they stand in, which block other apps.
    private mutating func addHeld(_ event: TraceEvent, age: Double) {
        let app = event.process
        let name = event.text("lock")
        switch event.name {
        case .lockRequested, .lockTaken, .lockReleased:
            locks.removeAll { $0.lock == name && $0.app == app }
            guard event.name != .lockReleased else { return }
            locks.append(Lock(lock: name, app: app, isHeld: event.name == .lockTaken, milliseconds: age))
        case .memoryCreated, .memoryOpened, .memoryRepaired:
            let memory = event.text("name")
            for index in processes.indices where processes[index].name == app { processes[index].memory = memory }
            if event.text("cause") == MemoryDamage.deadOwner.rawValue { operations.removeAll { $0.memory == memory } }
        case .operationStarted, .operationFinished:
            let memory = process(app)?.memory
            // Memory has one operation at most; without it, an app has.
            operations.removeAll { $0.memory == memory && (memory != nil || $0.app == app) }
            guard event.name == .operationStarted else { return }
            operations.append(Operation(type: event.text("type"), app: app, memory: memory, milliseconds: age))
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

    private func process(_ name: String) -> Process? { processes.first { $0.name == name } }

    private mutating func start(_ process: Process) {
        forget(process.name)
        processes.removeAll { $0.name == process.name }
        processes.append(process)
    }

    private mutating func end(_ name: String, _ incarnation: Int, reason: String) {
        // A later process of the same app is still running.
        guard let index = processes.firstIndex(where: { $0.name == name && $0.incarnation == incarnation }) else {
            return
        }
        processes[index].state = .ended
        processes[index].reason = reason.isEmpty ? nil : reason
        processes[index].memory = nil
        forget(name)
        // With the system of a device all its apps end, and its ends of links.
        for app in processes where app.device == name && app.state != .ended {
            end(app.name, app.incarnation, reason: "with the device")
        }
        for index in links.indices { links[index].endsThatAreUp.removeAll { $0 == name } }
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

    private mutating func lock(_ device: String) {
        if !lockedDevices.contains(device) { lockedDevices.append(device) }
    }

    private mutating func unlock(_ device: String) { lockedDevices.removeAll { $0 == device } }

    /// A session of which nothing is known is not listed.
    private mutating func change(_ app: String, _ body: (inout Session) -> Void) {
        let index = sessions.firstIndex { $0.app == app } ?? sessions.endIndex
        if index == sessions.endIndex { sessions.append(Session(app: app)) }
        body(&sessions[index])
        if sessions[index] == Session(app: app) { sessions.remove(at: index) }
    }

    private mutating func change(link: String, _ body: (inout Link) -> Void) {
        if !links.contains(where: { $0.link == link }) { links.append(Link(link: link)) }
        for index in links.indices where links[index].link == link { body(&links[index]) }
    }
}

extension StateAtStep.Item {
    fileprivate func isSame(as other: Self) -> Bool {
        device == other.device && accessGroup == other.accessGroup && service == other.service
            && account == other.account
    }
}

extension TraceEvent {
    /// A field; empty when missing.
    fileprivate func text(_ name: String) -> String { fields[name]?.stringValue ?? "" }

    fileprivate func number(_ name: String) -> Int? { fields[name]?.integerValue.map(Int.init(clamping:)) }

    fileprivate func flag(_ name: String) -> Bool { fields[name] == .bool(true) }
}
