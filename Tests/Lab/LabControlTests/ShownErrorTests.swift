// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import TestSupport
import Testing

@Suite("What is shown of errors and secrets", .endsInTime)
struct ShownErrorTests {
    @Test func `Foundation describes an error of the lab in the lab's own words`() {
        let errors: [any LocalizedError & CustomStringConvertible] = [
            InstanceError.invalidName("a b"), InstanceError.noInstance(path: "/x"),
            JoinError.refusedKey(address: "h:1"), JoinError.refused("no room"),
            ControlError(domain: "d", code: 3, message: "m"),
        ]
        for error in errors {
            #expect(error.errorDescription == error.description && error.localizedDescription == error.description)
        }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }

    @Test func `No form of a secret shows its text`() {
        let secret = Secret("4711")
        var dumped = ""
        dump(["pin": secret], to: &dumped)
        #expect("\(secret)" == Secret.mask && String(reflecting: secret) == Secret.mask)
        #expect(dumped.contains(Secret.mask) && !dumped.contains("4711"), "\(dumped)")
        #expect(secret.revealed == "4711")
    }
}
