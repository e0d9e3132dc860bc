// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@Suite("Device tokens as text", .endsInTime)
struct DeviceTokenTextTests {
    @Test func `A token has two hexadecimal digits per byte, and is read in either case`() {
        let token = Data([0x00, 0x0F, 0xA0, 0xFF])
        #expect(token.deviceTokenText == "000fa0ff")
        #expect(Data(deviceTokenText: "000fa0ff") == token)
        #expect(Data(deviceTokenText: "000FA0FF") == token)
    }

    @Test(arguments: ["0", "0g", "00 ", "-1"]) func `Invalid tokens are rejected`(text: String) {
        #expect(Data(deviceTokenText: text) == nil)
    }
}
