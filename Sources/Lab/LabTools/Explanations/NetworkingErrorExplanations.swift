// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The reasons of `WPNError`, with those that the Mobile Token SDK adds.
    static let networkingErrors = [
        networkingError(
            "unknown", "Nothing says why.",
            .unreachable(
                "no scenario causes it. An answer without the object that it must have would, and the lab's server "
                    + "always sends one; a request that all callers have cancelled is not reported."),
            "Nothing is lost; ask again.", "networking.md, section 10.1"),
        networkingError(
            "canceled", "The request was cancelled.", "The app called `cancel` on the operation that it got.",
            "The server may have carried it out; ask for the state before sending again.", "networking.md, section 8.2",
            scenarios: ["networking/cancelled-request.yaml"]),
        networkingError(
            "network_unknown", "A token was neither given nor refused.",
            .unreachable("no scenario causes it. It would be a defect of the token store."),
            "Report it with the trace.", "networking.md, section 10.4"),
        networkingError(
            "network_generic", "The server answered with an error, or a step before the request failed.",
            [
                "The server's answer is in `responseCode`, an error of the SDK in `nested`. A connection that breaks or "
                    + "cannot be made is one, too."
            ],
            "Read `responseCode` and `httpStatusCode`; `server.refused` in the server's trace says why.",
            "networking.md, section 10.4", scenarios: ["mobile-token/server-in-trouble.yaml"]),
        networkingError(
            "network_invalidResponseObject", "The answer has the status 200 and cannot be read.",
            "The endpoint answers with another object than the app expects, or something changed the answer.",
            "`server: requests` shows what was answered.", "networking.md, section 10.4",
            scenarios: ["networking/errors.yaml"]),
        networkingError(
            "network_invalidRequestObject", "The request cannot be written as JSON.",
            .unreachable(
                "no scenario causes it, as what stands in a scenario can be written. In code, a value that JSON "
                    + "cannot hold."),
            "Nothing was sent. Correct the object.", "networking.md, section 10.4"),
        networkingError(
            "network_signError", "The request cannot be signed.",
            "There is no activation, or the factors cannot be used: `nested` has the error of the SDK.",
            "Nothing was sent. Check the activation and the factors.", "networking.md, section 10.4",
            scenarios: ["mobile-token/approval-with-biometry.yaml"]),
        networkingError(
            "network_timeOut", "The server did not answer in time.",
            "A fault `server: slow`, or an `advance` while the server works.",
            "The server may have carried it out; ask for the state before sending again.", "networking.md, section 8.4",
            scenarios: ["mobile-token/server-in-trouble.yaml"]),
        networkingError(
            "network_noInternetConnection", "The device is offline.", "A step took the device off the network.",
            "`goOnline` brings it back.", "networking.md, section 10.3",
            scenarios: ["networking/errors.yaml"]),
        networkingError(
            "network_badServerResponse", "The answer is not HTTP.",
            .unreachable(
                "no scenario causes it, as only the lab's server answers. On a phone, something other than the "
                    + "server."),
            "Look at what listens at the base URL.", "networking.md, section 10.3"),
        networkingError(
            "network_sslError", "The server's certificate is not trusted.",
            "A fault `server: wrongCertificate`, or the app's own pinning.",
            "`networkConnectionIsNotTrusted` is true; nothing was sent.", "networking.md, section 9",
            scenarios: ["networking/certificates.yaml"]),
        networkingError(
            "network_errorStatusCode", "The answer has another status than 200 and no envelope.",
            "A gateway, or a resource that does not exist.", "Read `httpStatusCode`.", "networking.md, section 10.4",
            scenarios: ["networking/errors.yaml"]),
        networkingError(
            "operations_invalidActivation", "The server knows a newer activation of the user.",
            "The setting `oneActivationPerUser` of the server, and a second device of the user.",
            "Activate again, or continue with the other device.", "mobile-token.md, section 14.4",
            scenarios: ["mobile-token/newest-activation-only.yaml"]),
        networkingError(
            "operations_alreadyFailed", "The operation has failed.",
            "Too many approvals failed, each by a wrong factor, other data or a wrong one-time password.",
            "Create another operation.", "mobile-token.md, section 16.3",
            scenarios: ["mobile-token/operation-errors.yaml"]),
        networkingError(
            "operations_alreadyFinished", "The operation was approved or rejected before.",
            "Another app or device was faster, or the answer to the first attempt was lost.",
            "The history shows which.", "mobile-token.md, section 16.3",
            scenarios: ["mobile-token/two-apps-approve-at-once.yaml"]),
        networkingError(
            "operations_alreadyCanceled", "The back office cancelled the operation.", "`cancelOperation`.",
            "Fetch the list again.", "mobile-token.md, section 16.3",
            scenarios: ["mobile-token/operation-errors.yaml"]),
        networkingError(
            "operations_expired", "The operation was rejected before.",
            .unreachable("no scenario causes it, and no version of the SDK reports it."),
            "Match `operations_alreadyFinished`.", "mobile-token.md, section 14.2"),
        networkingError(
            "operations_authExpired", "The operation expired before it was approved.", "It waited too long.",
            "Create another operation.", "mobile-token.md, section 14.4", scenarios: ["mobile-token/expiration.yaml"]),
        networkingError(
            "operations_rejectExpired", "The operation expired before it was rejected, claimed or shown.",
            "It waited too long.", "Fetch the list again.", "mobile-token.md, section 14.4",
            scenarios: ["mobile-token/expiration.yaml"]),
        networkingError(
            "operations_failed", "The server did not accept the decision, and the operation still waits.",
            "A factor that the operation does not allow, other data, or a missing or wrong one-time password.",
            "`operation` of the server shows how many failures it counted.", "mobile-token.md, section 16.5",
            scenarios: ["mobile-token/operation-errors.yaml", "mobile-token/claim-with-proximity-check.yaml"]),
        networkingError(
            "operations_QRFailed", "A scanned operation cannot be signed.",
            "There is no activation, or the factors cannot be used: `nested` has the error of the SDK.",
            "Check the activation and the factors.", "mobile-token.md, section 6.6",
            scenarios: ["mobile-token/offline-operation-with-biometry.yaml"]),
        networkingError(
            "push_alreadyRegistering", "The registration for push messages is under way.",
            "The app registered twice at once.", "Wait for the first answer.", "mobile-token.md, section 12.1",
            scenarios: ["mobile-token/push-registration.yaml"]),
    ]

    /// Why a scanned operation was refused.
    static let scannedCodeErrors = [
        scannedCodeError("minimumAttributeFieldsRequired", "The code has fewer than seven lines."),
        scannedCodeError("noOperationId", "The code has no identifier of an operation."),
        scannedCodeError("noOperationData", "The code has no data.", isShown: false),
        scannedCodeError("invalidSignature", "The last line of the code is not a signature."),
        scannedCodeError("invalidNonce", "The nonce of the code is not the Base64 of 16 bytes."),
        scannedCodeError("invalidVersionString", "The data of the code does not begin with a version."),
        scannedCodeError("invalidTemplateId", "The data of the code names no template."),
        scannedCodeError("tooManyDataFields", "A field of the code's data is malformed, or there are more than six."),
        scannedCodeError("signatureFormatError", "The signed part of the code is not text.", isShown: false),
        Explanation(
            "signatureNotTrusted", .scannedCodeError, "The code was signed by another key than that of the server.",
            causes: ["Another server made the code, or it was changed.", "The code is for another activation."],
            advice: "Show nothing of it to the user.", references: ["mobile-token.md, section 9.5"],
            scenarios: ["mobile-token/scanned-codes-that-are-refused.yaml"]),
    ]

    private static func networkingError(
        _ name: String, _ meaning: String, _ cause: Reachability, _ advice: String, _ reference: String,
        scenarios: [String] = []
    ) -> Explanation {
        Explanation(
            name, .networkingError, meaning, causes: cause, advice: advice, references: [reference],
            scenarios: scenarios)
    }

    /// - Parameter isShown: false for an error that no code causes.
    private static func scannedCodeError(_ name: String, _ meaning: String, isShown: Bool = true) -> Explanation {
        Explanation(
            name, .scannedCodeError, meaning,
            causes: isShown
                ? "Another kind of code was scanned, or it is damaged." : .unreachable("no code causes it."),
            advice: "Compare it with what `offlineQR` of the server gave.",
            references: ["mobile-token.md, section 9.4"],
            scenarios: isShown ? ["mobile-token/scanned-codes-that-are-refused.yaml"] : [])
    }
}

extension Explanation {
    /// The errors of requests without a response. The SDK passes the platform's error on unchanged; `WPNError` has it
    /// in `nested`, under a reason of its own.
    static let transportErrors = [
        transportError(
            "timedOut", -1001, "The server did not answer within the app's timeout.",
            "A fault `server: slow` that is longer than `requestTimeout` in `lab.yaml`, 20 s of lab time.",
            "An `advance`, or a fast clock, while the server works.",
            advice:
                "The server may have carried the request out: ask for the state before sending again. Beside the code, "
                + "`domain: NSURLErrorDomain` distinguishes it from a process that did not answer the lab.",
            scenarios: ["faults/server-slower-than-the-request-timeout.yaml"]),
        transportError(
            "cannotConnectToHost", -1004, "The server did not take the connection; nothing was sent.",
            "`server: kill`, until `server: restart`.", advice: "Start the server, and send again.",
            scenarios: ["faults/server-is-killed-and-started-again.yaml"]),
        transportError(
            "networkConnectionLost", -1005, "The connection ended before the answer arrived.",
            "A fault `server: drop`, which loses the request or its answer.", "The server died while it worked.",
            advice: "The server may have carried the request out: ask for the state before sending again.",
            scenarios: ["sdk/server-errors.yaml"]),
        transportError(
            "notConnectedToInternet", -1009, "The device is offline; nothing was sent.", "`goOffline` of the device.",
            advice: "`goOnline` of the device, or the end of `during`, brings it back.",
            scenarios: ["push/device-offline.yaml"]),
        transportError(
            "serverCertificateHasBadDate", -1201, "The certificate of the server has expired.",
            "`tls: expired` of the server, or a fault `server: wrongCertificate` with `kind: expired`.",
            advice: "Nothing was sent. `sslValidation: none` of an app accepts every certificate.",
            scenarios: ["sdk/server-certificates.yaml"]),
        transportError(
            "serverCertificateUntrusted", -1202,
            "The app does not trust the certificate of the server: no known authority has issued it, or it is for another "
                + "host.",
            "`tls: self-signed` of the server, or a fault `server: wrongCertificate`.",
            advice: "Nothing was sent. `sslValidation: none` of an app accepts every certificate.",
            scenarios: ["sdk/self-signed-server.yaml", "sdk/server-certificates.yaml"]),
    ]

    private static func transportError(
        _ name: String, _ code: Int, _ meaning: String, _ causes: String..., advice: String, scenarios: [String]
    ) -> Explanation {
        Explanation(
            name, .transportError, code: code, meaning, causes: .reachable(by: causes), advice: advice,
            references: ["sdk.md, section 7.3"], scenarios: scenarios)
    }
}
