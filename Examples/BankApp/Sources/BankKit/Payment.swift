// SPDX-License-Identifier: Apache-2.0

import LabApp

/// A payment that waits for the user's approval.
public struct Payment: FieldObject {
    @Field("Identifier of the operation.") public var id: String
    @Field("Kind of the operation.") public var name: String
    public init() {}
}

/// How the bank's apps fail.
public enum BankError: String, AppError {
    /// The app on the phone has no token, because the user has not logged in.
    case notLoggedIn
    /// The bank does not accept the token.
    case tokenRefused
    /// The bank answers nothing that could be shown.
    case bankUnavailable

    public var message: String {
        switch self {
        case .notLoggedIn: "The user has not logged in on the phone."
        case .tokenRefused: "The bank does not accept the token of this app."
        case .bankUnavailable: "The bank has no answer that could be shown."
        }
    }
}
