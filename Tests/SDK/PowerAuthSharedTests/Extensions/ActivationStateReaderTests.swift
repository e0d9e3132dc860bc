// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PowerAuth2ForExtensions

@Suite("An extension inspects the stored session (sharing.md, sections 13 and 18.2)", .endsInTime)
struct ActivationStateReaderTests {
    private func activation(_ state: Data) -> ActivationStateReader.Activation {
        ActivationStateReader.activation(in: state)
    }

    @Test(.verifies("sharing.md", "E-1")) func `E-1: the identifier is found in every data version from 3 to 6`() {
        #expect(activation(StoredStates.version3) == .identifier(StoredStates.activationId))
        for version in "456".utf8 {
            var state = StoredStates.version6
            state[4] = version
            #expect(activation(state) == .identifier(StoredStates.activationId))
        }
    }

    @Test func `The identifier of an activation of protocol 4 stands behind an older state and the suite`() {
        let beginning = Data("PA".utf8) + [0x02] + Data("P7".utf8)
        let suite = Data([7]) + Data("EC_P384".utf8)
        let identifier = Data([UInt8(StoredStates.activationId.utf8.count)]) + Data(StoredStates.activationId.utf8)
        for older in [Data([0]), Data([3, 1, 2, 3])] {
            let state = beginning + older + suite + identifier
            #expect(activation(state + Data([32])) == .identifier(StoredStates.activationId))
            for length in 0..<state.count {
                #expect(activation(state.prefix(length)) == .unreadable, "\(length) bytes")
            }
        }
    }

    @Test(.verifies("sharing.md", "E-2")) func `E-2: an empty session has no activation`() {
        #expect(activation(StoredStates.empty) == .none)
    }

    @Test(.verifies("sharing.md", "E-2"))
    func `E-2: every truncation before the end of the identifier is unreadable`() {
        let endOfIdentifier = 22 + 1 + 36
        for length in 0..<endOfIdentifier {
            #expect(activation(StoredStates.version6.prefix(length)) == .unreadable, "\(length) bytes")
        }
        #expect(activation(StoredStates.version6.prefix(endOfIdentifier)) == .identifier(StoredStates.activationId))
    }

    @Test func `Other formats, unknown versions, a wrong counter and an empty identifier are unreadable`() {
        #expect(activation(Data("PAM2a".utf8)) == .unreadable)
        for (index, value) in [(0, 0x51), (2, 0x01), (3, 0x51), (4, 0x32), (4, 0x38), (5, 0x0F)] {
            var state = StoredStates.version6
            state[index] = UInt8(value)
            #expect(activation(state) == .unreadable, "byte \(index) = \(value)")
        }
        var state = StoredStates.version6
        state[22] = 0
        #expect(activation(state) == .unreadable)
    }

    @Test func `A long identifier with a two-byte count is read`() {
        let identifier = String(repeating: "x", count: 300)
        let state = StoredStates.version6.prefix(22) + Data([0x81, 0x2C]) + Data(identifier.utf8)
        #expect(activation(state) == .identifier(identifier))
    }
}
