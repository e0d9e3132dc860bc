// SPDX-License-Identifier: Apache-2.0

/// A chapter of a manual of the SDKs that the lab plays; `manual` of a scenario of this project names it.
///
/// There are four manuals; the SDK manual covers the watch, too. The titles are those of the manuals; a chapter with
/// different titles in two editions is listed under each title, and a chapter that only contains others is left out.
struct ManualChapter: Sendable {
    /// The manual and the heading of the chapter, as a scenario spells them: `SDK: Password Change`.
    let name: String
    /// Why no scenario can show the chapter; nil if one can.
    let obstacle: String?

    /// The chapters of all manuals, in their order.
    static let all = sdk + extensions + mobileToken + networking

    private static func chapters(of manual: String, _ titles: String...) -> [ManualChapter] {
        titles.map { ManualChapter(name: "\(manual): \($0)", obstacle: nil) }
    }

    private static func chapters(of manual: String, without obstacle: String, _ titles: String...) -> [ManualChapter] {
        titles.map { ManualChapter(name: "\(manual): \($0)", obstacle: obstacle) }
    }

    private static let building = "it is about building an app, which docs/own-app.md describes for the lab"
    private static let product = "it is about the product, not about what it does"
    private static let code =
        "it is about code of the app that no command reaches; docs/manual-samples.md has its samples"
    private static let logging = "what is logged goes to the process's log, which no step reads; unit tests do"
    private static let passwords = "a password object never leaves its process; unit tests show what it does"

    private static let sdk =
        chapters(
            of: "SDK", "Configuration", "HTTP client configuration", "Keychain configuration",
            "Activation via Activation Code", "Additional Activation OTP", "Activation via OpenID Connect",
            "Activation via Custom Credentials", "Activation via Recovery Code", "Customize Activation",
            "Committing Activation Data", "Persisting Activation Data", "Validating User Inputs",
            "Requesting Activation Status", "Symmetric Multi-Factor Signature", "Request Synchronization",
            "Asymmetric Private Key Signature", "Producing Signed JWT with Provided Claims",
            "Symmetric Offline Multi-Factor Signature", "Verify Server-Signed Data", "Password Change",
            "Check Biometry Status", "Enable Biometry", "Disable Biometry", "Fetch Biometry Credentials In Advance",
            "Biometry Factor-Related Key Lifetime", "Fallback biometry to device passcode", "LAContext support",
            "Biometry lockout", "Thread-blocking operation", "Parallel biometric authentications",
            "Use pre-authorized LAContext",
            "Simple Device-Only Removal", "Removal via Authenticated Session", "Removal via Signed Request",
            "End-To-End Encryption", "Obtaining Encryption Key", "Getting Recovery Data", "Confirm Recovery Postcard",
            "Getting Token", "Generating Authorization Header", "Removing Token From the Server",
            "Removing Token Locally", "Prepare Watch Connectivity", "WCSession Activation Sequence",
            "Sending Activation Status to Watch", "Sending Token to Watch", "Removing Token from Watch",
            "External Encryption Key", "Prepare Activation Data Sharing", "Configure Activation Data Sharing",
            "External pending operations", "Automatic Time Synchronization", "Manually Synchronize Time",
            "Get Synchronized Time", "Error Handling", "Working with Invalid SSL Certificates",
            "Obtaining User's Claims", "Length of application group")
        + chapters(
            of: "SDK", without: building, "Supported Platforms", "CocoaPods", "Manual", "Swift Package Manager",
            "Carthage", "Debug Build Detection", "tvOS support in CocoaPods")
        + chapters(
            of: "SDK", without: passwords, "Problem explanation", "Special password object usage", "Entering PIN",
            "Entering arbitrary password", "Create a password from data", "Compare two passwords",
            "Validate password complexity")
        + chapters(of: "SDK", without: code, "Request Interceptors", "Custom User-Agent", "UserDefaults Migration")
        + chapters(of: "SDK", without: logging, "Debugging")
        + chapters(of: "SDK", without: "it is about another library", "Password Strength Indicator")

    private static let extensions =
        chapters(
            of: "Extensions", "Prepare data sharing", "Configure PowerAuth for Extension",
            "Getting Device Activation Status", "Getting token", "Generating authorization header",
            "Removing token locally", "Removing token from server", "Error Handling")
        + chapters(
            of: "Extensions", without: building, "CocoaPods", "Manual", "Debug build detection",
            "CocoaPods Linker workaround")
        + chapters(of: "Extensions", without: code, "UserDefaults migration")

    private static let mobileToken =
        chapters(
            of: "Mobile Token", "Configuration of Operations", "Retrieve the Pending Operations",
            "Start Periodic Polling", "Approve or Reject Operation", "Off-line Authorization",
            "Operations API Reference", "WMTUserOperation", "Configuration of Push Messages",
            "Registering to Push Notifications", "Push Message API Reference", "Error Handling")
        + chapters(of: "Mobile Token", without: building, "Requirements", "Cocoapods")
        + chapters(of: "Mobile Token", without: product, "Introduction", "License", "Contact", "Security Disclosure")

    private static let networking =
        chapters(
            of: "Networking", "Initialization and Configuration", "Signed endpoint", "Signed endpoint with Token",
            "Basic endpoint (not signed)", "Creating an HTTP request", "Raw Response Observer", "Parallel Requests",
            "SSL validation",
            "Error Handling", "WPNErrorReason", "Language Configuration")
        + chapters(
            of: "Networking", without: building, "Requirements", "Swift Package Manager", "Cocoapods",
            "Guaranteed PowerAuth Compatibility", "Xcode Compatibility")
        + chapters(of: "Networking", without: logging, "Logging", "Verbosity Level", "Character limit")
        + chapters(
            of: "Networking", without: product, "Open Source Code", "Web Documentation", "License", "Contact",
            "Security Disclosure")
}
