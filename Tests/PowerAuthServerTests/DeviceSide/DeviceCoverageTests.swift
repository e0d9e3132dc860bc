import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The tables of this directory know every device endpoint, and every failure of each.
@Suite struct DeviceCoverageTests {
    @Test func `every device route has its tests`() throws {
        let routed = try ServerFixture.deviceSide().server.endpoints.filter { $0.face == .device }
        #expect(Set(routed.map(\.path)) == Set(DeviceCall.allCases.map(\.rawValue)))
        #expect(routed.count == DeviceCall.allCases.count)
        for endpoint in routed {
            let call = try #require(DeviceCall(rawValue: endpoint.path))
            #expect(endpoint.methods == call.methods, "\(call.rawValue)")
            #expect(endpoint.readsJSON == call.readsJSON, "\(call.rawValue)")
            #expect(!call.versions.isEmpty)
        }
    }

    @Test func `the server declares the failures that are documented`() throws {
        for endpoint in try ServerFixture.deviceSide().server.endpoints where endpoint.face == .device {
            let call = try #require(DeviceCall(rawValue: endpoint.path))
            let declared = ([endpoint.fallback] + endpoint.otherFailures).filter { $0 != .unexpected }
            #expect(Set(declared.map { $0.code(on: .device) }) == Set(call.documented.map { $0.code(on: .device) }))
        }
    }

    @Test(arguments: DeviceCall.allCases)
    func `every documented failure has a row`(call: DeviceCall) {
        let failures =
            DeviceErrorRow.all.filter { $0.call == call }.map(\.failure)
            + DeviceErrorRow.elsewhere.filter { $0.call == call }.map(\.failure)
        #expect(
            Set(failures.map { $0.code(on: .device) }) == Set(call.documented.map { $0.code(on: .device) }))
    }
}
