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
