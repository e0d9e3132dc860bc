import Foundation
import LabKit
import TestSupport
import Testing

@Suite("Device tokens as text", .endsInTime)
struct DeviceTokenTextTests {
    @Test("A token has two hexadecimal digits per byte, and is read in either case")
    func writesAndReads() {
        let token = Data([0x00, 0x0F, 0xA0, 0xFF])
        #expect(token.deviceTokenText == "000fa0ff")
        #expect(Data(deviceTokenText: "000fa0ff") == token)
        #expect(Data(deviceTokenText: "000FA0FF") == token)
    }

    @Test("Invalid tokens are rejected", arguments: ["0", "0g", "00 ", "-1"])
    func refuses(text: String) {
        #expect(Data(deviceTokenText: text) == nil)
    }
}
