import LabKit
import SimulatedDevice

/// The complications that the face of a watch shows.
extension DeviceAgent {
    /// Adds the commands about the complication of an app.
    static func addComplicationHandlers(to table: inout CommandDispatcher<ProcessTarget>) {
        table.answer(AddComplication.self) { _, target in try target.agent.show(true, complicationOf: target.host) }
        table.answer(RemoveComplication.self) { _, target in try target.agent.show(false, complicationOf: target.host) }
    }

    private func show(_ isShown: Bool, complicationOf host: AppHost) throws {
        let name = host.spec.name
        guard host.spec.kind == .watchApp else {
            throw ControlError.device(.wrongState, "\(name) is not an app of a watch, and has no complication.")
        }
        guard try registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(name) is not installed; `install` puts it back.")
        }
        guard try registry.hasComplication(host.spec.bundleIdentifier) != isShown else {
            throw ControlError.device(
                .wrongState, "The face \(isShown ? "shows" : "does not show") the complication of \(name) already.")
        }
        try registry.setComplication(host.spec.bundleIdentifier, isShown: isShown)
        tellLinksAboutComplication(of: name, isShown)
    }

    /// Lets the phones know which complications the face shows.
    func tellLinksAboutComplications() throws {
        for app in device.apps where app.kind == .watchApp {
            tellLinksAboutComplication(of: app.name, try registry.hasComplication(app.bundleIdentifier))
        }
    }

    private func tellLinksAboutComplication(of app: String, _ isShown: Bool) {
        for link in links { link.collect(.complicationChanged(app, isEnabled: isShown)) }
    }
}
