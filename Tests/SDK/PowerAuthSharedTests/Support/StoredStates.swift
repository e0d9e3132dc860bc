// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Serialized sessions of sharing.md, section 13: the structure is right, the keys are counting bytes.
enum StoredStates {
    static let activationId = "7b2f0c52-4d0a-4b0e-9a57-0f3e9f3f2a11"

    /// Data version 6, 255 bytes.
    static let version6 = decoded(
        "UEECUDYQAAECAwQFBgcICQoLDA0ODyQ3YjJmMGM1Mi00ZDBhLTRiMGUtOWE1Ny0wZjNlOWYzZjJhMTEAACcQEBAREhMUFRYXGBkaGxwdHh8Q"
            + "ICEiIyQlJicoKSorLC0uLxAwMTIzNDU2Nzg5Ojs8PT4/ABBAQUJDREVGR0hJSktMTU5PIQJQUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdo"
            + "aWprbG1ubyEDcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo8wkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKz"
            + "tLW2t7i5uru8vb6/AAAEAAAA")

    /// Data version 3, 244 bytes.
    static let version3 = decoded(
        "UEECUDMAAAAAAAAAByQ3YjJmMGM1Mi00ZDBhLTRiMGUtOWE1Ny0wZjNlOWYzZjJhMTEAACcQEBAREhMUFRYXGBkaGxwdHh8QICEiIyQlJico"
            + "KSorLC0uLxAwMTIzNDU2Nzg5Ojs8PT4/ABBAQUJDREVGR0hJSktMTU5PIQJQUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ubyED"
            + "cHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo8wkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8"
            + "vb6/AAAAAA==")

    /// A session without an activation.
    static let empty = Data([0x50, 0x41, 0x00])

    /// Version 6 with another signature counter, so that it differs from ``version6``.
    static func counted(_ counter: UInt8) -> Data {
        var state = version6
        state[state.startIndex + 6] = counter
        return state
    }

    /// Version 6 of another activation.
    static func ofActivation(_ id: String) -> Data {
        precondition(id.utf8.count == activationId.utf8.count)
        var state = version6
        state.replaceSubrange(22..<22 + 1 + 36, with: [UInt8(36)] + Array(id.utf8))
        return state
    }

    private static func decoded(_ base64: String) -> Data {
        // The constants above are Base64.
        Data(base64Encoded: base64)!
    }
}
