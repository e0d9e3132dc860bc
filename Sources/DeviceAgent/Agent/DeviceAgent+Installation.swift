import Glibc
import LabKit
import LabSystem
import SimulatedDevice

/// Installing and uninstalling apps, starting the device anew, erasing it (sharing.md, sections 21.6 and 21.7).
extension DeviceAgent {
    // MARK: Apps

    /// Carries out a command about the installation of an app.
    ///
    /// - Returns: false for a command about something else.
    func handleInstallationCommand(
        _ request: ControlRequest, _ responder: ControlResponder, _ host: AppHost
    ) throws -> Bool {
        let name = host.spec.name
        let isInstalled = try registry.isInstalled(host.spec.bundleIdentifier)
        switch request.command {
        case Uninstall.name, Reinstall.name:
            guard isInstalled else {
                responder.fail("wrongState", "\(name) is not installed.")
                return true
            }
            let apps = appAndExtensions(host)
            try endProcesses(of: apps.compactMap { hosts[$0.name] })
            try registry.uninstall(apps, from: device)
            if request.command == Reinstall.name { try apps.forEach { try registry.install($0.bundleIdentifier) } }
        case Install.name:
            guard !isInstalled else {
                responder.fail("wrongState", "\(name) is installed.")
                return true
            }
            try appAndExtensions(host).forEach { try registry.install($0.bundleIdentifier) }
        default: return false
        }
        try tellLinksAboutInstallation()
        responder.succeed(NoResult())
        return true
    }

    /// Lets the other devices know which apps are here.
    func tellLinksAboutInstallation() throws {
        for app in device.apps {
            let isInstalled = try registry.isInstalled(app.bundleIdentifier)
            for link in links { link.collect(.installationChanged(app.name, isInstalled: isInstalled)) }
        }
    }

    /// What is installed and uninstalled as one: an app with the extensions in it.
    private func appAndExtensions(_ host: AppHost) -> [AppSpec] {
        [host.spec] + device.apps.filter { $0.kind == .appExtension && $0.host == host.spec.name }
    }

    // MARK: The device

    /// Carries out a command that ends everything that runs on the device.
    ///
    /// - Returns: false for a command about something else.
    func handleStartCommand(_ request: ControlRequest, _ responder: ControlResponder) throws -> Bool {
        switch request.command {
        case Reboot.name:
            try endBoot()
            try security.changeState { $0.reboot() }
        case Erase.name:
            try endBoot()
            try registry.erase()
            try tellLinksAboutInstallation()
            for suffix in ["", "-wal", "-shm"] {
                let path = layout.keychainPath(device.name) + suffix
                if Files.exists(path) { try Files.remove(path) }
            }
            try security.changeState { $0.erase() }
        default: return false
        }
        responder.succeed(NoResult())
        return true
    }

    /// Ends all apps, and the shared memory that they made; the next boot begins.
    private func endBoot() throws {
        try endProcesses(of: hosts.values.sorted { $0.spec.name < $1.spec.name })
        try security.closeEverything()
        try beginNextBoot()
    }

    /// Ends the processes of apps at once and waits until they are gone.
    private func endProcesses(of hosts: [AppHost]) throws {
        let running = hosts.filter { $0.process.pid != nil }
        for host in running {
            host.process.forgetRestart()
            try host.watch?.signal(SIGKILL)
        }
        for host in running {
            host.watch?.waitForEnd(timeoutNanoseconds: 5_000_000_000)
            try processEnded(host)
        }
    }
}
