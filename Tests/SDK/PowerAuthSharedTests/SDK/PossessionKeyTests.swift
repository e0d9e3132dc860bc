import Foundation
import PowerAuth2
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("The possession key of a device (sharing.md, section 12.2)", .endsInTime)
struct PossessionKeyTests {
    @Test("Before the first unlock no key is derived from missing data, and none is stored (sharing.md, D22)")
    func withoutVendorIdentifier() async throws {
        let fixture = try SDKFixture()
        try fixture.sandbox.security.changeState { $0.reboot() }
        _ = try await fixture.createActivation().get()
        let error = #expect(throws: NSError.self) {
            try fixture.sdk.persistActivation(withPassword: SDKFixture.password)
        }
        #expect(error?.powerAuthErrorCode == .signatureError)

        try fixture.sandbox.security.changeState { $0.unlock() }
        let service = PowerAuthKeychain(
            identifier: PowerAuthKeychain_Possession, accessGroup: nil, system: fixture.sandbox.keychain)
        #expect(service.allItems() == nil)
        try fixture.sdk.persistActivation(withPassword: SDKFixture.password)
        #expect(service.allItems()?.count == 1)
        #expect(await fixture.validate(SDKFixture.password) == nil)
    }
}
