import LabKit
import TestSupport
import Testing

@testable import PowerAuthServer

/// What the user agent of an app says of its device (server.md, section 18.3).
@Suite("User agents", .endsInTime)
struct DeviceUserAgentTests {
    @Test("The user agent of the vendor's library is taken apart, and no other")
    func userAgents() {
        let known = "PowerAuthNetworking/1.1.7 (en; cellular) com.acme.app/2.0.0 (Apple; iOS/16.6.1; iphone12,3)"
        let parts: JSONValue = [
            "networkVersion": "1.1.7", "language": "en", "connection": "cellular", "product": "com.acme.app",
            "version": "2.0.0", "platform": "Apple", "os": "iOS", "osVersion": "16.6.1", "model": "iphone12,3",
        ]
        #expect(DeviceUserAgent(known)?.json == parts)
        for other in ["", "Mozilla/5.0", " " + known, known + " ", known.replacing("; cellular", with: "")] {
            #expect(DeviceUserAgent(other) == nil, "\(other)")
        }
    }
}
