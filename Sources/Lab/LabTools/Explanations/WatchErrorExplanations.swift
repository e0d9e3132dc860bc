// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The codes of `WCErrorDomain`.
    static let watchErrors = [
        watchError(
            "genericError", 7001, "Unknown WatchConnectivity error.",
            .unreachable("no scenario causes it. An error inside of the link."),
            "Report it with the traces of both agents."),
        watchError(
            "sessionNotSupported", 7002, "WatchConnectivity session is not available on this device.",
            .unreachable("all devices of the lab have such a session. A tablet has none."),
            "Ask `isSupported` before."),
        watchError(
            "sessionMissingDelegate", 7003, "WatchConnectivity session has no delegate.",
            "The app uses the session before the SDK, or the app itself, has set its delegate.",
            "Activate the watch support of the app before.", scenarios: ["sharing/extension-with-the-full-sdk.yaml"]),
        watchError(
            "sessionNotActivated", 7004, "WatchConnectivity session has not been activated.",
            "The session was not activated in this process, or is not yet.",
            "Activate it, and wait for `activationDidComplete`; `session.state` in the trace shows it.",
            scenarios: ["watch/session-takes-its-time.yaml"]),
        watchError(
            "deviceNotPaired", 7005, "Device is not paired.",
            "The topology has no link for the phone, or its watch was unpaired.",
            "Add a link to lab.yaml; `pairing: pair`.", scenarios: ["watch/unpaired-watch.yaml"]),
        watchError(
            "watchAppNotInstalled", 7006, "Watch app is not installed.", "The app was uninstalled from the watch.",
            "`companion: install`.", scenarios: ["watch/transfers-are-taken-back.yaml"]),
        watchError(
            "notReachable", 7007, "WatchConnectivity session on paired device is not reachable.",
            "The link is down, or the counterpart app does not run where it must.",
            "`pairing: up`; or send guaranteed, which waits in a queue.", scenarios: ["watch/messages-of-bytes.yaml"]),
        watchError(
            "invalidParameter", 7008, "Invalid parameter passed to WatchConnectivity API.",
            .unreachable("no scenario causes it. In code, a URL that is not a file URL."), "Correct the call."),
        watchError(
            "payloadTooLarge", 7009, "Payload is too large.", "The message is longer than the platform allows.",
            "Send less, or in parts.", reference: "watch.md, section 9.8",
            scenarios: ["watch/files-that-are-refused.yaml"]),
        watchError(
            "payloadUnsupportedTypes", 7010, "Payload contains unsupported type.",
            "The message is not a property list.",
            "Send numbers, texts, data, dates, lists and dictionaries only.", reference: "watch.md, section 9.8",
            scenarios: ["watch/messages-without-a-reply.yaml"]),
        watchError(
            "messageReplyFailed", 7011, "Message reply failed.",
            "The receiver died, or the link broke, after the message had arrived.",
            "The receiver may have acted on it; ask for the state before sending again.",
            scenarios: ["watch/messages-without-a-reply.yaml"]),
        watchError(
            "messageReplyTimedOut", 7012, "Message reply took too long.",
            "The message arrived, and the receiver did not reply in time.",
            "Look at the receiver's trace: does it wait for a lock?",
            scenarios: ["watch/messages-without-a-reply.yaml"]),
        watchError(
            "fileAccessDenied", 7013, "WatchConnectivity session cannot access the file.",
            "The file of a transfer cannot be read, or the storage of a device cannot be written.",
            "Send a file that is there; `freeDisk` ends `readOnlyDisk`, and `disarm` a failure at `link.store`.",
            scenarios: ["watch/files-that-are-refused.yaml", "watch/storage-takes-no-transfers.yaml"]),
        watchError(
            "deliveryFailed", 7014, "Payload could not be delivered.",
            "The link broke before, the receiver could not be launched, or it takes no such message. Of a watch: the pairing has ended.",
            "Nothing has arrived; send again when the watch is reachable.",
            scenarios: ["watch/session-of-the-manual.yaml"]),
        watchError(
            "insufficientSpace", 7015, "The payload could not be sent because there isn't enough space.",
            "The sender's queue of transfers or the receiver's inbox is full (`capacity` of the link in `lab.yaml` says how much they hold), or a device has no room for it.",
            "Let the receiver run, so that it empties its inbox, and let the devices meet; `freeDisk` makes room on a device.",
            scenarios: ["watch/queue-that-is-full.yaml", "watch/storage-takes-no-transfers.yaml"]),
        watchError(
            "sessionInactive", 7016, "WatchConnectivity session is inactive.", "The phone switches to another watch.",
            "Wait for the new session.", scenarios: ["watch/watch-is-put-aside.yaml"]),
        watchError(
            "transferTimedOut", 7017, "Transfer timed out.", "No acknowledgement came in time.",
            "The message may have arrived; send only what may come twice.",
            scenarios: ["watch/link-cut-in-one-direction.yaml"]),
        watchError(
            "companionAppNotInstalled", 7018, "Companion app is not installed.",
            "The phone's app was uninstalled.", "`main: install`.",
            scenarios: ["watch/messages-without-a-reply.yaml"]),
        watchError(
            "watchOnlyApp", 7019, "Watch app doesn't have a Companion app.",
            .unreachable("all watch apps of the lab have one."),
            "Name the phone's app with `host` in lab.yaml."),
    ]

    private static func watchError(
        _ name: String, _ code: Int, _ meaning: String, _ cause: Reachability, _ advice: String,
        reference: String = "watch.md, section 9.7", scenarios: [String] = []
    ) -> Explanation {
        Explanation(
            name, .watchError, code: code, meaning, causes: cause, advice: advice, references: [reference],
            scenarios: scenarios)
    }
}
