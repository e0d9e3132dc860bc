// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice
import ZeroMQ

/// What the device does with the frames of its apps.
extension DeviceAgent {
    /// Takes a frame of an app.
    /// - Parameter process: The sender, as reported by the kernel; nil if unknown.
    func receive(_ frame: WatchFrame, from address: Data, by process: Int32?) throws {
        if frame.kind == .attach {
            try attach(frame, from: address, by: process)
            return
        }
        // Frames of a process that was replaced, or that never identified itself.
        guard let name = routes[address], let host = hosts[name], host.address == address else { return }
        switch frame.kind {
        case .appState: try perform(host.process.handle(.ready), for: host)
        case .activate: activate(host)
        case .notificationRequest: receiveNotificationRequest(frame, from: host)
        case .backgroundTaskRequest: receiveBackgroundTaskRequest(frame, from: host)
        case .delivered:
            enduring("container") { try removeHandedOver(frame.messageId, from: host) }
            forward(frame, from: host)
        default: forward(frame, from: host)
        }
    }

    private func attach(_ frame: WatchFrame, from address: Data, by process: Int32?) throws {
        guard let body = try? frame.decodeBody(AttachBody.self), let host = hosts[body.name] else { return }
        // The system stops and ends attached processes: only the process itself may attach.
        guard body.pid == process else {
            return refuse(body, "the frame is from process \(process.map(String.init) ?? "?")")
        }
        if host.process.pid != body.pid {
            // A process that has ended meanwhile has nothing to attach.
            guard let watch = try? ProcessWatch(pid: body.pid) else { return }
            guard try answers(body.pid, for: body.name) else {
                return refuse(body, "the device has not started it, and it does not answer at the app's control socket")
            }
            host.watch = .byHand(watch)
        }
        if let previous = host.address, previous != address {
            send(WatchFrame(.bye, sequence: ByeReason.replaced.rawValue), to: previous)
            routes[previous] = nil
        }
        host.address = address
        endSession(of: host)
        routes[address] = body.name
        send(WatchFrame(.welcome, body: WatchFrame.body(AttachedBody(agentPid: getpid()))), to: address)
        try perform(host.process.handle(.attached(pid: body.pid, incarnation: body.incarnation)), for: host)
        tellLinks(about: host)
    }

    /// Whether a process that was started by hand is the app: it holds the app's control socket, as only one can.
    private func answers(_ pid: Int32, for app: String) throws -> Bool {
        let path = try layout.endpointLockPath(.peer(app))
        return try ProcessTable.heldLocks(by: pid).contains { $0.path == path && $0.isExclusive }
    }

    private func refuse(_ body: AttachBody, _ cause: String) {
        let cause = "`\(body.name)` is not process \(body.pid): \(cause)"
        if let report = refusals.take(cause, at: MonotonicClock.nanoseconds()) { emit(report) }
    }

    func emit(_ refusal: RefusalTally.Report) { trace.emit(.processRefused, refusal.fields) }

    private func activate(_ host: AppHost) {
        let wasActivated = host.isActivated
        host.isActivated = true
        if !wasActivated { beginSession(of: host) }
        repeatContentAnnouncement(to: host)
        if links.isEmpty {
            let state = WatchCounterpartState(isPaired: device.kind == .watch)
            send(WatchFrame(.activate, body: WatchFrame.body(state)), to: host)
        } else if wasActivated {
            // Nothing changes for the links, but the app waits for an answer.
            host.session?.collect(.fromApp(host.spec.name, WatchFrame(.activate)))
        } else {
            tellLinks(about: host)
        }
    }

    /// Gives a frame about messages or transfers to the links that it concerns.
    private func forward(_ frame: WatchFrame, from host: AppHost) {
        guard let active = host.session ?? activeLink else { return refuseWithoutLink(frame, from: host) }
        switch frame.kind {
        // Answers belong to the link that brought the question; the others do not know it.
        case .delivered, .transferTold, .contextTold, .liveAcknowledgement, .liveReply, .liveError, .cancelTransfer:
            links.forEach { $0.collect(.fromApp(host.spec.name, frame)) }
        case .file: sendFile(frame, from: host, over: active)
        default: active.collect(.fromApp(host.spec.name, frame))
        }
    }

    private func refuseWithoutLink(_ frame: WatchFrame, from host: AppHost) {
        let code = UInt64(LinkCode.deviceNotPaired)
        switch frame.kind {
        case .live: send(WatchFrame(.liveError, correlationId: frame.messageId, sequence: code), to: host)
        case .userInfo, .file, .context:
            send(WatchFrame(.transferQueued, messageId: frame.messageId, sequence: code), to: host)
        default: break
        }
    }

    /// Sends a frame to the process of an app, if there is one.
    func send(_ frame: WatchFrame, to host: AppHost) {
        guard let address = host.address else { return }
        faults.changeWork(of: host.spec.name, by: 1)
        if !send(frame, to: address) { faults.changeWork(of: host.spec.name, by: -1) }
    }

    @discardableResult
    private func send(_ frame: WatchFrame, to address: Data) -> Bool {
        // An app that just died takes nothing; its end arrives through its descriptor.
        (try? appSocket.send([address] + frame.parts)) ?? false
    }

    func tellLinks(about host: AppHost) {
        for link in links { link.collect(.appChanged(host.spec.name, host.presence(on: link))) }
    }
}

/// Installing and uninstalling apps, restarting and erasing the device (sharing.md, sections 21.6 and 21.7).
extension DeviceAgent {
    // MARK: Apps

    func install(_ host: AppHost) throws {
        guard try !registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(host.spec.name) is installed.")
        }
        try appAndExtensions(host).forEach { try registry.install($0.bundleIdentifier) }
        try tellLinksAboutInstallation()
    }

    func uninstall(_ host: AppHost, installingAgain: Bool) throws {
        guard try registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(host.spec.name) is not installed.")
        }
        let apps = appAndExtensions(host)
        try endProcesses(of: apps.compactMap { hosts[$0.name] })
        try registry.uninstall(apps, from: device)
        try forgetNotifications(of: apps.map(\.name))
        try forgetBackgroundTasks(of: apps.map(\.name))
        try tellLinksAboutInstallation()
        if installingAgain {
            try apps.forEach { try registry.install($0.bundleIdentifier) }
            try tellLinksAboutInstallation()
        }
    }

    func tellLinksAboutInstallation() throws {
        for app in device.apps {
            let isInstalled = try registry.isInstalled(app.bundleIdentifier)
            for link in links { link.collect(.installationChanged(app.name, isInstalled: isInstalled)) }
        }
    }

    /// The unit of installation: an app with its extensions.
    private func appAndExtensions(_ host: AppHost) -> [AppSpec] {
        [host.spec] + device.apps.filter { $0.kind == .appExtension && $0.host == host.spec.name }
    }

    // MARK: The device

    func reboot() throws {
        try endBoot()
        try changeProtection { $0.reboot() }
        enduring("background") { try resumeBackgroundTasks() }
    }

    func erase() throws {
        try endBoot()
        try registry.erase()
        try forgetNotifications(of: device.apps.map(\.name))
        try forgetBackgroundTasks(of: device.apps.map(\.name))
        for link in links { link.erase() }
        try forgetWatches()
        try tellLinksAboutInstallation()
        for suffix in ["", "-wal", "-shm"] {
            let path = layout.keychainPath(device.name) + suffix
            if Files.exists(path) { try Files.remove(path) }
        }
        try changeProtection { $0.erase() }
    }

    /// Ends the processes of all apps at once, and waits until they have ended.
    func endApps() throws { try endProcesses(of: hosts.values.sorted { $0.spec.name < $1.spec.name }) }

    /// Ends all apps, and the shared memory that they made; the next boot begins.
    private func endBoot() throws {
        try endApps()
        for host in hosts.values { host.notifications.isForceQuit = false }
        try security.closeEverything()
        try beginNextBoot()
    }

    /// Ends the processes of apps at once and waits until they have ended.
    private func endProcesses(of hosts: [AppHost]) throws {
        let running = hosts.filter { $0.process.pid != nil }
        for host in running {
            host.process.forgetRestart()
            try host.watch?.signal(SIGKILL)
        }
        for host in running {
            host.watch?.waitForEnd(within: .seconds(5).stretched)
            try processEnded(host)
        }
    }
}
