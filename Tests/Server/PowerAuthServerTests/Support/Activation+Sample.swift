// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

/// Tests write identifiers as texts.
extension Identifier: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(known: text) }
}

extension Activation {
    /// An activation with another value in each field.
    /// - Parameters:
    ///   - application: a stored one, where the activation is stored.
    ///   - masterKeyPairRow: likewise.
    static func sample(
        _ lifecycle: ActivationLifecycle, of application: Application = Application(row: 1, id: "lab", roles: []),
        masterKeyPairRow: Int64 = 1
    ) -> Activation {
        Activation(
            id: "activation", application: application, masterKeyPairRow: masterKeyPairRow, userId: "user",
            lifecycle: lifecycle, code: "AAAAA-BBBBB-CCCCC-DDDDD",
            otp: OtpRequirement(mode: .onCommit, commitPhase: .onKeyExchange, hash: "hash"), name: "name",
            externalId: "external", extras: "extras", platform: "platform", deviceInfo: "device",
            flags: ["flag-1", "flag-2"], serverPrivateKey: StoredSecret(mode: 1, bytes: Data([1, 2])),
            serverPublicKey: Data([3, 4]), failedAttempts: 2, maxFailedAttempts: 7,
            created: ServerTime(milliseconds: 1_000), lastUsed: ServerTime(milliseconds: 2_000),
            lastChange: ServerTime(milliseconds: 3_000))
    }
}

extension DeviceBinding {
    /// A device with another value in each field.
    static let sample = DeviceBinding(
        devicePublicKey: Data([5, 6]), counter: 8, counterData: Data(repeating: 9, count: 16), version: 2)
}
