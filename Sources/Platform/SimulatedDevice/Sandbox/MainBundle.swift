import CMainBundle
import LabKit

/// The content of `Bundle.main`: on a phone the system reads it from the app's `Info.plist`; here each app's process
/// runs the same binary and takes the identity of the simulated app.
enum MainBundle {
    /// The keys of an app's `Info.plist` that identify it.
    static func information(of sandbox: Sandbox) -> [String: String] {
        let identity = sandbox.identity
        return [
            "CFBundleIdentifier": identity.bundleIdentifier, "CFBundleName": identity.name,
            "CFBundleDisplayName": identity.name, "CFBundleExecutable": sandbox.executableName,
            "CFBundleShortVersionString": sandbox.appVersion, "CFBundleVersion": Sandbox.buildNumber,
            "CFBundlePackageType": identity.kind == .appExtension ? "XPC!" : "APPL",
            "CFBundleInfoDictionaryVersion": "6.0",
        ]
    }

    /// Gives the process the identity of an app.
    ///
    /// - Returns: false when Foundation does not take it; then `Bundle.main` stays nameless.
    @discardableResult
    static func adopt(_ sandbox: Sandbox) -> Bool {
        information(of: sandbox).allSatisfy { key, value in cmainbundle_set(key, value) }
    }
}
