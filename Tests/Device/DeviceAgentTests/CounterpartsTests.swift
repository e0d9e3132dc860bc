import LabKit
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Counterparts", .endsInTime)
struct CounterpartsTests {
    private func app(_ name: String, _ kind: AppSpec.Kind, host: String? = nil) -> AppSpec {
        AppSpec(
            name: name, kind: kind, bundleIdentifier: "com.example.\(name)", host: host,
            powerAuth: PowerAuthSpec(sdk: kind == .watchApp ? .watch : .full, instanceId: "i"))
    }

    @Test("A watch app talks to the phone app it names, or else to the first one")
    func pairs() {
        let link = LinkSpec(name: "link", phone: "phone", watch: "watch")
        let topology = Topology(
            name: "t",
            devices: [
                DeviceSpec(
                    name: "phone", kind: .phone,
                    apps: [app("main", .app), app("second", .app), app("widget", .appExtension, host: "main")]),
                DeviceSpec(
                    name: "watch", kind: .watch,
                    apps: [app("glance", .watchApp), app("other", .watchApp, host: "second")]),
            ], links: [link])
        #expect(
            Counterparts.of(device: "watch", link: link, topology: topology) == ["glance": "main", "other": "second"])
        #expect(
            Counterparts.of(device: "phone", link: link, topology: topology) == ["main": "glance", "second": "other"])
    }
}
