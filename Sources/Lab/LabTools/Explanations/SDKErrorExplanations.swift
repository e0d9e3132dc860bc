// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The codes of `PowerAuthErrorDomain`, and the two that the lab adds for errors without a code.
    static let sdkErrors = [
        Explanation(
            "NA", .sdkError, code: 0, "Not an error of the SDK: `powerAuthErrorCode` of an error of another domain.",
            causes: .unreachable("the lab prints such an error with its own domain and code."),
            advice: "Match `domain` and `message` instead of `code`.", references: ["sdk.md, section 4.1"]),
        Explanation(
            "networkError", .sdkError, code: 1,
            "The server answered, but not with success: a status other than 200, `ERROR` in the body, or a body that is no "
                + "answer.",
            causes: [
                "A wrong password: the server counts it and answers 401.",
                "The activation is blocked, removed or unknown to the server.",
                "A fault of the network: `server: fail`, `drop`, `corrupt`.",
            ],
            advice:
                "`httpStatusCode` and `responseObject.code` in the error's `userInfo` show the server's error; "
                + "`server.refused` in its trace says why.",
            references: ["sdk.md, section 4.4", "sdk.md, section 7.3", "rest-api.md, section 7.1"],
            scenarios: ["life-cycle/wrong-password-blocks-the-activation.yaml", "sdk/server-errors.yaml"]),
        Explanation(
            "signatureError", .sdkError, code: 2, "The SDK's core refused to compute a signature.",
            causes: [
                "A password shorter than 4 bytes.", "A method that is not signed, or an empty `uriId`.",
                "The external encryption key is missing.", "The activation has no key for one of the factors.",
            ], advice: "Nothing was sent. Check the factors and the data of the request.",
            references: ["sdk.md, section 5.8"],
            scenarios: ["sdk/signatures.yaml", "sdk/external-encryption-key.yaml"]),
        Explanation(
            "invalidActivationState", .sdkError, code: 3,
            "The session is in the wrong state for the call, or its core rejected the operation.",
            causes: [
                "`createActivation` while there is an activation, `persistActivation` while none is pending.",
                "A new password shorter than 4 bytes.", "The state could not be stored.",
                "The memory or a lock that apps share is lost and cannot be made anew; `cause` names the reason.",
                "A lock that orders the applications could not be taken; a signed request is not sent then.",
            ],
            advice: "`hasValidActivation` and `hasPendingActivation` show the state; `state.saved` in the trace who "
                + "changed it last.",
            references: ["sdk.md, section 9.1", "sdk.md, section 11", "sharing.md, D12"],
            scenarios: [
                "sdk/password.yaml", "sdk/biometry-key-is-refused.yaml", "sharing/request-without-the-queue-lock.yaml",
            ]),
        Explanation(
            "invalidActivationCode", .sdkError, code: 4,
            "An activation code, a recovery code, a PUK or a parameter of OpenID Connect is malformed.",
            causes: ["A typing error: the last characters of a code are its checksum."],
            advice: "Nothing was sent. Use the code as the server gave it.",
            references: ["sdk.md, section 5.16", "sdk.md, section 5.20"], scenarios: ["sdk/recovery.yaml"]),
        Explanation(
            "invalidActivationData", .sdkError, code: 5,
            "The data of an activation, or the status that the server sent, cannot be used.",
            causes: [
                "The signature of the activation code belongs to another server.",
                "The server does not know the activation and answered with random bytes.",
                "The server's half of the key exchange is invalid.",
            ], advice: "Compare the SDK's configuration with that of the server; ask the server for the activation.",
            references: ["sdk.md, section 9.1", "sdk.md, section 9.3"], scenarios: ["sdk/activation-by-code.yaml"]),
        Explanation(
            "missingActivation", .sdkError, code: 6, "The call needs an activation, and none exists.",
            causes: [
                "It was removed, on this device or by another app that shares it.",
                "The app was reinstalled, or never activated.",
            ], advice: "Activate first; `Scenarios/steps/activate.yaml` does it.", references: ["sdk.md, section 11"],
            scenarios: ["sdk/activation-status.yaml", "sdk/end-to-end-encryption.yaml"]),
        Explanation(
            "activationPending", .sdkError, code: 7, "An activation was started, but not persisted yet.",
            causes: ["`persistActivation` was forgotten, or comes later."],
            advice: "Persist it, or give it up with `removeActivationLocal`.", references: ["sdk.md, section 9.3"],
            scenarios: ["sdk/activation-status.yaml"]),
        Explanation(
            "biometryNotAvailable", .sdkError, code: 8, "Biometry cannot be used on this device now.",
            causes: [
                "The device has no sensor, or nothing is enrolled.", "The sensor is locked out after five wrong tries.",
                "The activation has no biometry factor.", "The key could not be stored.",
            ], advice: "`phone: enrolBiometry` enrols, `unlock` ends a lockout.",
            references: ["sdk.md, section 5.10", "sdk.md, section 9.9"],
            scenarios: ["sdk/biometry.yaml", "sdk/biometry-lockout.yaml"]),
        Explanation(
            "biometryCancel", .sdkError, code: 9, "The dialog ended without an answer of the sensor.",
            causes: ["The owner or the app cancelled it.", "Another dialog is open."],
            advice: "`phone: answerBiometry` answers the next dialog.", references: ["sdk.md, section 9.9"],
            scenarios: ["sdk/biometry.yaml"]),
        Explanation(
            "biometryFailed", .sdkError, code: 10,
            "The key of the biometry factor could not be read, or was replaced.",
            causes: [
                "The enrolled fingers or faces changed, and the key belongs to the set before (`biometryKey: currentSet`).",
                "The sensor did not recognise the owner.",
                "Another app with the same activation replaced the factor while the dialog was open.",
            ], advice: "Ask again when the factor was replaced, else add it again.",
            references: ["sdk.md, section 5.4", "sdk.md, section 9.9", "sharing.md, D6"],
            scenarios: [
                "sdk/biometry-is-altered.yaml", "sdk/biometry.yaml",
                "sharing/factor-that-is-replaced-during-a-dialog.yaml",
            ]),
        Explanation(
            "operationCancelled", .sdkError, code: 11,
            "The SDK itself ended the operation; an app's cancel has no error.",
            causes: ["The activation was removed while a request was on its way.", "The SDK object is gone."],
            advice: "Nothing went wrong on the server's side; ask again if it still matters.",
            references: ["sdk.md, section 8.1", "sdk.md, section 15, item 13"],
            scenarios: ["quirks/removal-ends-requests.yaml"]),
        Explanation(
            "encryption", .sdkError, code: 12, "Encryption, decryption or a key of the vault failed.",
            causes: [
                "The answer was not encrypted for this request, or damaged: `server: corrupt`.",
                "The activation has no external encryption key, or another one.",
            ], advice: "Look at `server: requests`, which shows what was inside of the encrypted bodies.",
            references: ["sdk.md, section 7.3", "sdk.md, section 9.7"],
            scenarios: ["quirks/plain-error-is-not-read.yaml"]),
        Explanation(
            "wrongParameter", .sdkError, code: 13, "A parameter of the call cannot be used.",
            causes: ["An empty name of a token, a key of the wrong size, factors that the call does not take."],
            advice: "Nothing was sent. The message names the parameter.", references: ["sdk.md, section 11"],
            scenarios: ["sdk/tokens.yaml", "sdk/external-encryption-key.yaml"]),
        Explanation(
            "invalidToken", .sdkError, code: 14, "There is no such token on this device, or it cannot be used.",
            causes: ["It was never requested, or removed.", "The activation that it belonged to is gone."],
            advice: "`requestAccessToken` gets it.", references: ["sdk.md, section 9.4", "sharing.md, section 15.3"],
            scenarios: ["watch/token-is-removed-after-the-activation.yaml"]),
        Explanation(
            "watchConnectivity", .sdkError, code: 15, "Phone and watch could not communicate.",
            causes: ["The counterpart answered something unexpected.", "The watch is not reachable or has no app."],
            advice: "`pairing: up` connects them; errors of `WCErrorDomain` say more.",
            references: ["watch.md, section 7"], scenarios: ["watch/messages-to-an-unreachable-watch.yaml"]),
        Explanation(
            "protocolUpgrade", .sdkError, code: 16, "The upgrade of an old activation to protocol 3 failed.",
            causes: ["The server refused it, or names a version that the SDK does not know."],
            advice: "The upgrade is tried again with the next `fetchActivationStatus`.",
            references: ["sdk.md, section 9.11"], scenarios: ["quirks/failed-upgrade-is-hidden.yaml"]),
        Explanation(
            "pendingProtocolUpgrade", .sdkError, code: 17,
            "The activation is being upgraded, and cannot sign until that has ended.",
            causes: ["A signature was asked for between the start and the end of the upgrade."],
            advice: "`fetchActivationStatus` ends the upgrade.", references: ["sdk.md, section 9.11"],
            scenarios: ["sdk/protocol-upgrade.yaml"]),
        Explanation(
            "externalPendingOperation", .sdkError, code: 18,
            "Another app that shares the activation is performing an exclusive operation: an activation, or an "
                + "upgrade.",
            causes: [
                "The other app has created an activation and not persisted it yet.",
                "The other app is suspended in the middle, and still holds the lock.",
            ],
            advice: "`externalPendingOperation` of the error says which app and what. It ends when that app persists, "
                + "removes or dies.",
            references: ["sharing.md, section 8.2", "sharing.md, section 8.5"],
            scenarios: [
                "sharing/second-app-meets-pending-activation.yaml",
                "sharing/one-of-two-activations-wins.yaml",
            ]),
        Explanation(
            "biometryFallback", .sdkError, code: 19, "The owner chose the fallback button of the dialog.",
            causes: ["`answerBiometry` said so."], advice: "Ask for the password instead.",
            references: ["sdk.md, section 9.9"], scenarios: ["sdk/biometry.yaml"]),
        Explanation(
            "timeSynchronization", .sdkError, code: 20, "The SDK could not determine the server's time.",
            causes: ["The answer was late or implausible, so that it says nothing about the time."],
            advice: "Ask again; `server: slow` and skewed clocks of devices show it.",
            references: ["sdk.md, section 9.10", "sharing.md, section 16"],
            scenarios: ["sdk/time-that-came-too-late.yaml"]),
        Explanation(
            "invalidConfiguration", .sdkError,
            "The initialiser of the SDK object returned nothing. The SDK has no code for it; the lab names it.",
            causes: [
                "A value under `sharing` is too long, empty or not entitled.", "The configuration string is damaged.",
                "The app or extension would use another shared memory than the apps that run, or one that is taken.",
                "The device is in the way: `deviceNotUnlocked` before the first unlock after a start, "
                    + "`preferencesUnavailable` when the preferences with the flag of the installation are damaged or the "
                    + "storage takes nothing, `leftoversNotRemoved`, `appGroupUnavailable`.",
            ],
            advice: "The message says which rule is broken; so does `configuration.rejected` in the trace. Correct "
                + "`powerAuth` of the app in lab.yaml. When the device is in the way, the app tries again with the next "
                + "command.",
            references: ["sharing.md, section 3.3", "sharing.md, section 14", "sdk.md, section 5.1"],
            scenarios: [
                "limits/app-group-of-27-bytes.yaml", "sdk/configuration.yaml", "sharing/identifier-that-collides.yaml",
                "sharing/identifier-that-an-update-changes.yaml", "sharing/first-unlock-after-a-reboot.yaml",
            ]),
        Explanation(
            "emptyCompletion", .sdkError,
            "A completion of the SDK was called with neither a value nor an error. The lab names it.",
            causes: .unreachable("no scenario causes it. It would be a defect of the SDK."),
            advice: "Report it with the trace of the process."),
    ]
}
