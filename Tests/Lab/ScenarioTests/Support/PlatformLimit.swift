// SPDX-License-Identifier: Apache-2.0

/// A limit of the simulated platform, or of the SDKs on it, that a scenario shows at its boundary.
///
/// A scenario of this project names it by a tag, `limit:` and the name, so that no word of its text is mistaken for
/// one.
struct PlatformLimit: Sendable {
    /// The name behind `limit:`.
    let name: String
    /// The limited quantity.
    let subject: String
    /// The maximum, with its unit.
    let figure: String
    /// Where the limit is specified: a citation, or another page of docs.
    let reference: String

    init(_ name: String, _ subject: String, _ figure: String, _ reference: String) {
        self.name = name
        self.subject = subject
        self.figure = figure
        self.reference = reference
    }

    /// The tag of a scenario that shows the limit.
    var tag: String { Self.prefix + name }

    /// The prefix of the tag of every limit.
    static let prefix = "limit:"

    /// All limits, those of sharing first.
    static let all = [
        PlatformLimit(
            "shared-memory-name", "name of shared memory: app group, dot and memory identifier", "31 bytes",
            "sharing.md, section 3.2"),
        PlatformLimit(
            "app-group", "app group that shares through a computed memory identifier", "26 bytes",
            "sharing.md, section 3.2"),
        PlatformLimit(
            "shared-memory-identifier", "memory identifier that apps share through", "1 to 4 bytes",
            "sharing.md, section 3.2"),
        PlatformLimit(
            "application-identifier", "identifier of an app among those that share", "1 to 127 bytes",
            "sharing.md, section 3.2"),
        PlatformLimit(
            "shared-counter", "counter in shared memory", "64 bits, after which it begins anew",
            "sharing.md, section 7.2"),
        PlatformLimit(
            "entitlements", "keychain access groups of an app", "those that it is entitled to",
            "sharing.md, section 12.4"),
        PlatformLimit(
            "first-unlock", "keychain and containers before the first unlock", "closed", "sharing.md, section 21.6"),
        PlatformLimit(
            "sleep-with-a-lock", "locks in a group container that an app may sleep with", "none",
            "sharing.md, section 21.7"),
        PlatformLimit(
            "extension-time", "time of an extension", "what its `timeLimit` says", "sharing.md, section 21.7"),
        PlatformLimit("background-time", "time of an app that a push has woken", "30 s", "docs/push.md"),
        PlatformLimit(
            "watch-task-time", "time of a watch app in the background for a task", "15 s", "watch.md, section 9.9"),
        PlatformLimit(
            "kept-notifications", "notifications kept for a device without a network", "1 for each app", "docs/push.md"),
        PlatformLimit("push-payload", "payload of a push notification", "4,096 bytes", "docs/lab-server.md"),
        PlatformLimit(
            "disk-space", "room for keychain, preferences and group containers", "what the device has free",
            "sharing.md, section 13"),
        PlatformLimit(
            "biometry-attempts", "faces or fingers that are not recognised until biometry is locked out", "5",
            "sdk.md, section 9.9"),
        PlatformLimit(
            "request-time", "time of a request of the SDK", "20 s, or what `requestTimeout` says",
            "sdk.md, section 5.3"),
        PlatformLimit("time-exchange", "time of an exchange for the server's time", "16 s", "sdk.md, section 9.10"),
        PlatformLimit("password-length", "password", "at least 4 bytes", "sdk.md, section 5.9"),
        PlatformLimit("external-key-length", "external encryption key", "exactly 16 bytes", "sdk.md, section 5.1"),
        PlatformLimit(
            "polling-interval", "time between two fetches of operations", "at least 5 s", "mobile-token.md, section 6.4"
        ),
        PlatformLimit("watch-message", "immediate message to the counterpart", "65,536 bytes", "watch.md, section 9.8"),
        PlatformLimit(
            "watch-user-info", "guaranteed message to the counterpart", "65,536 bytes", "watch.md, section 9.8"),
        PlatformLimit("watch-context", "application context", "262,144 bytes", "watch.md, section 9.8"),
        PlatformLimit("watch-file", "file for the counterpart", "16 MiB", "docs/watch.md"),
        PlatformLimit(
            "watch-queue", "guaranteed messages that wait for the counterpart", "what the link's `capacity` says",
            "watch.md, section 9.7"),
        PlatformLimit(
            "complications", "transfers for a complication that are brought at once", "50 a day", "docs/watch.md"),
        PlatformLimit(
            "watch-delivery-time", "time until an immediate message has arrived", "10 s", "watch.md, section 9.7"),
        PlatformLimit("watch-reply-time", "time from its arrival to the reply", "30 s", "watch.md, section 9.7"),
    ]
}
