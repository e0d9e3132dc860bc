import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The tables of this directory know every device endpoint, and every failure of each.
@Suite("Coverage of device endpoints", .endsInTime)
struct DeviceCoverageTests {
    @Test("Every device route has its tests")
    func everyDeviceRouteHasItsTests() throws {
        let routed = try ServerFixture.deviceSide().server.endpoints.filter { $0.face == .device }
        #expect(Set(routed.map(\.path)) == Set(DeviceCall.allCases.map(\.rawValue)))
        #expect(routed.count == DeviceCall.allCases.count)
        for endpoint in routed {
            let call = try #require(DeviceCall(rawValue: endpoint.path))
            #expect(endpoint.methods == call.methods, "\(call.rawValue)")
            #expect((endpoint.bodyType == .json) == call.readsJSON, "\(call.rawValue)")
            #expect(!call.versions.isEmpty)
        }
    }

    @Test("The server declares the failures that are documented")
    func theServerDeclaresTheFailures() throws {
        for endpoint in try ServerFixture.deviceSide().server.endpoints where endpoint.face == .device {
            let call = try #require(DeviceCall(rawValue: endpoint.path))
            let declared = ([endpoint.fallback] + endpoint.otherFailures).filter { $0 != .unexpected }
            #expect(Set(declared.map { $0.code(on: .device) }) == Set(call.documented.map { $0.code(on: .device) }))
        }
    }

    @Test("Every documented failure has a row", arguments: DeviceCall.allCases)
    func everyDocumentedFailureHas(call: DeviceCall) {
        let failures =
            DeviceErrorRow.all.filter { $0.call == call }.map(\.failure)
            + DeviceErrorRow.elsewhere.filter { $0.call == call }.map(\.failure)
        #expect(
            Set(failures.map { $0.code(on: .device) }) == Set(call.documented.map { $0.code(on: .device) }))
    }
}
