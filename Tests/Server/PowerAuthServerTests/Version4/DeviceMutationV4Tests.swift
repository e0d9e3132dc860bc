// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Right requests of protocol 4 with one byte changed anywhere, chosen by a seed.
@Suite("Changed bytes in requests of protocol 4", .ends(withinSeconds: 600))
struct DeviceMutationV4Tests {
    private static let seed: UInt64 = 0x5EED_4F_DE71CE
    /// Fewer than the values that a code is tried with: the right request behind them is still found.
    private static let count = 15

    @Test func `One changed byte is never an accident and never accepted where it matters`() async throws {
        try await ServerFixture.deviceSide().run { client in
            for call in DeviceCallV4.allCases {
                var generator = SeededGenerator(seed: Self.seed ^ UInt64(call.rawValue.count))
                var rig = try await DeviceRigV4(client, call)
                for _ in 0..<Self.count {
                    let right = try rig.request()
                    let (changed, what) = DeviceMutationTests.change(right, &generator)
                    let answer = try await changed.send(client)
                    guard answer.status == 200 else {
                        Self.expectDocumented(answer, call, what)
                        continue
                    }
                    #expect(Self.isEquivalent(changed, right, call), "accepted: \(what)")
                    // The request was used up; what follows would be refused for that.
                    rig = try await DeviceRigV4(client, call)
                }
                // The refusals were for the changes, not for what they left behind.
                try await rig.request().expectAccepted(client)
            }
        }
    }

    private static func expectDocumented(_ answer: Answer, _ call: DeviceCallV4, _ what: String) {
        let documented = call.isCoded ? [call.closedFailure, call.codeFailure] : [call.closedFailure]
        let isDocumented = documented.contains {
            let failure = $0.response(on: .device)
            return failure.status == answer.status && failure.body == answer.body
        }
        #expect(isDocumented, "\(what) answered \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }

    /// Whether both requests say the same.
    private static func isEquivalent(_ changed: WireRequest, _ right: WireRequest, _ call: DeviceCallV4) -> Bool {
        // Nothing protects the body of a status request.
        if call == .serverStatus { return true }
        // Base64 has bits that are not read, so that one envelope has several spellings.
        func envelope(_ request: WireRequest) -> AeadRequest? {
            guard case .sealed = call.form else { return nil }
            return try? JSONDecoder().decode(AeadRequest.self, from: request.body)
        }
        let isSameBody =
            changed.body == right.body || (envelope(changed) != nil && envelope(changed) == envelope(right))
        return isSameBody
            && zip(changed.headers, right.headers).allSatisfy { changed, right in
                changed.name == EncryptionHeader.name
                    ? isEquivalentEncryption(changed.value, right.value, call)
                    : isEquivalentCode(changed.value, right.value, call)
            }
    }

    private static func isEquivalentEncryption(_ changed: String, _ right: String, _ call: DeviceCallV4) -> Bool {
        let scope = call.form == .sealed(.activation) ? EciesScope.activation : .application
        guard let changed = try? AeadHeader(parsing: changed, scope: scope),
            let right = try? AeadHeader(parsing: right, scope: scope)
        else { return false }
        return changed == right
    }

    private static func isEquivalentCode(_ changed: String, _ right: String, _ call: DeviceCallV4) -> Bool {
        guard call == .startUpgrade else {
            guard let changed = try? AuthenticationHeader(parsing: changed),
                let right = try? AuthenticationHeader(parsing: right)
            else { return false }
            return changed == right
        }
        guard let changed = try? SignatureHeader(parsing: changed), let right = try? SignatureHeader(parsing: right)
        else { return false }
        return changed == right
    }
}
