// SPDX-License-Identifier: Apache-2.0

import BankStorage
import Foundation
import LabTesting
import Testing
import UIKit

/// The code of the app in the process of the test, which is an app on a phone of its own.
@Suite("Storage", .serialized)
struct BankStorageTests {
    init() throws { try LabProcess.becomeApp(bundleIdentifier: "com.example.bank") }

    @Test func `The keychain keeps the card, and forgets it`() {
        let storage = BankStorage()
        #expect(storage.keep(card: "4000 1234"))
        #expect(BankStorage().card == "4000 1234")
        #expect(storage.keep(card: nil) && storage.card == nil)
    }

    @Test func `The preferences keep the user`() {
        BankStorage().lastUser = "alice"
        #expect(UserDefaults.standard.string(forKey: "lastUser") == "alice")
        #expect(UserDefaults(suiteName: "other")?.string(forKey: "lastUser") == nil)
    }

    @Test func `The server gets the names of app and system`() {
        #expect(BankStorage().userAgent.hasPrefix("com.example.bank iOS/"))
    }
}
