// SPDX-License-Identifier: Apache-2.0

/// The sample of the SDK's manual, as an app compiles it: in the Swift 5 mode, which its shared object needs.
public enum ManualSession {
    /// Makes the sample the delegate of the session, and activates that.
    ///
    /// - Returns: false when the device has no session.
    public static func activate() -> Bool { SessionManager.shared.activateSession() }
}
