// SPDX-License-Identifier: Apache-2.0

import BankStorage
import LabTesting
import XCTest

final class BankStorageTestCase: XCTestCase {
    override func setUpWithError() throws {
        try LabProcess.becomeApp(bundleIdentifier: "com.example.bank")
    }

    func testTheSecondCardReplacesTheFirst() {
        let storage = BankStorage()
        XCTAssertTrue(storage.keep(card: "4000 1234"))
        XCTAssertTrue(storage.keep(card: "4000 5678"))
        XCTAssertEqual(storage.card, "4000 5678")
    }
}
