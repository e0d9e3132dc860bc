import Glibc
import LabKit
import LabSystem
import SimulatedDevice

/// Installing and uninstalling apps, restarting and erasing the device (sharing.md, sections 21.6 and 21.7).
extension DeviceAgent {
    // MARK: Apps

    /// Adds the commands about the installation of an app.
    static func addInstallationHandlers(to table: inout CommandDispatcher<ProcessTarget>) {
        table.answer(Uninstall.self) { _, target in try target.agent.uninstall(target.host, installingAgain: false) }
        table.answer(Reinstall.self) { _, target in try target.agent.uninstall(target.host, installingAgain: true) }
        table.answer(Install.self) { _, target in try target.agent.install(target.host) }
    }

    private func install(_ host: AppHost) throws {
        guard try !registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(host.spec.name) is installed.")
        }
        try appAndExtensions(host).forEach { try registry.install($0.bundleIdentifier) }
        try tellLinksAboutInstallation()
    }

    private func uninstall(_ host: AppHost, installingAgain: Bool) throws {
        guard try registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(host.spec.name) is not installed.")
        }
        let apps = appAndExtensions(host)
        try endProcesses(of: apps.compactMap { hosts[$0.name] })
        try registry.uninstall(apps, from: device)
        try forgetNotifications(of: apps.map(\.name))
        try tellLinksAboutInstallation()
        if installingAgain {
            try apps.forEach { try registry.install($0.bundleIdentifier) }
            try tellLinksAboutInstallation()
        }
    }

    /// Lets the other devices know which apps are here.
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

    /// Adds the commands that end everything that runs on the device.
    static func addStartHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(Reboot.self) { _, agent in
            try agent.endBoot()
            try agent.changeProtection { $0.reboot() }
        }
        table.answer(Erase.self) { _, agent in try agent.erase() }
    }

    private func erase() throws {
        try endBoot()
        try registry.erase()
        try forgetNotifications(of: device.apps.map(\.name))
        for link in links { link.erase() }
        try forgetWatches()
        try tellLinksAboutInstallation()
        for suffix in ["", "-wal", "-shm"] {
            let path = layout.keychainPath(device.name) + suffix
            if Files.exists(path) { try Files.remove(path) }
        }
        try changeProtection { $0.erase() }
    }

    /// Ends all apps, and the shared memory that they made; the next boot begins.
    private func endBoot() throws {
        try endProcesses(of: hosts.values.sorted { $0.spec.name < $1.spec.name })
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
