// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The codes of the back office.
    static let serverErrors = [
        serverError(
            0, "Unknown error occurred.", .unreachable("no scenario causes it. An unexpected exception."),
            "Look at the server's log."),
        serverError(
            1, "No user ID was set.", "A list of operations or recovery codes was asked for without its user.",
            "Give the user.",
            ["server/operations-that-are-refused.yaml"]),
        serverError(
            2, "No application ID was set.", "`activation/init` without an application.", "Give the application.",
            ["server/activations-that-are-refused.yaml"]),
        serverError(
            3, "No master server key pair configured in database.",
            .unreachable("no scenario causes it. The key pair was removed from the database."),
            "Create the application again."),
        serverError(
            4, "Master server key pair contains private key in incorrect format.",
            .unreachable("no scenario causes it. The key in the database was damaged."),
            "Restore the database."),
        serverError(
            5, "Too many failed attempts to generate activation ID.",
            .unreachable("no scenario causes it. Every random identifier was taken."),
            "A lab's database is never that full; look at the generator."),
        serverError(
            6, "Too many failed attempts to generate activation code.",
            .unreachable("no scenario causes it. Every random code was taken."),
            "A lab's database is never that full; look at the generator."),
        serverError(
            7, "This activation is already expired.",
            "A commit came after `activationValidity`, or the application's key is unknown or not supported.",
            "Commit in time; compare the app's configuration with the server's.",
            ["server/activations-that-are-refused.yaml"]),
        serverError(
            8, "Incorrect activation state.", "The activation is in a state from which this step is not allowed.",
            "`server.activation` in the trace shows every change of its state.",
            ["server/activations-that-are-refused.yaml"]),
        serverError(
            9, "Activation with given activation ID was not found.",
            "An unknown identifier or code, or an invalid device key.",
            "Use the identifier that the server gave.",
            ["server/activations-that-are-refused.yaml"]),
        serverError(
            10, "Key with invalid format was provided.", "A stored or received key cannot be decoded.",
            "Look at who sent it: `server: requests`.",
            ["server/recovery-codes-that-are-refused.yaml"]),
        serverError(
            11, "Invalid input parameter format.",
            .unreachable(
                "no scenario causes it. A client other than the SDK has encrypted invalid JSON, or a malformed reason for a vault."
            ),
            "Look at the decrypted body: `server: requests`."),
        serverError(
            12, "Invalid Signature Provided.", "The vault does not open for these factors.",
            "Use knowledge, or set `vaultWithBiometry`.",
            ["server/encrypted-requests-that-are-refused.yaml"]),
        serverError(
            13, "Unable to compute signature.", "The version or the type of the signature is unknown.",
            "Name a version and a type that the protocol has.",
            ["server/encrypted-requests-that-are-refused.yaml"]),
        serverError(
            14, "Invalid URL format.", "The address of a callback is malformed.", "Correct the address.",
            ["server/settings-that-are-refused.yaml"]),
        serverError(
            15, "Application or application version does not exist.", "The identifier or key is unknown.",
            "Ask `/rest/v3/application/list`.",
            ["server/settings-that-are-refused.yaml"]),
        serverError(
            16, "Token with given token ID does not exist.", .unreachable("current versions do not raise it."), "–"),
        serverError(
            17, "Data encryption failed.", .unreachable("no scenario causes it. An answer could not be encrypted."),
            "Look at the server's log."),
        serverError(
            18, "Data decryption failed.",
            "A wrong key, a damaged body, or a version of the protocol that is not supported.",
            "Compare the app's configuration with the server's.",
            ["server/encrypted-requests-that-are-refused.yaml"]),
        serverError(
            19, "Token was not successfully generated.",
            .unreachable("no scenario causes it. Every random identifier was taken, of tokens or operations."),
            "A lab's database is never that full; look at the generator."),
        serverError(
            20, "Master DB encryption key is not configured.",
            .unreachable("no scenario causes it. A record is encrypted, and the server has no key for it."),
            "Start the server with the key."),
        serverError(
            21, "Unsupported encryption mode.",
            .unreachable("no scenario causes it. A record was written by another version."), "Restore the database."),
        serverError(
            22, "Generic cryptography error occurred.", "A size or a point of a curve is wrong.",
            "`server.refused` in the trace says which.",
            ["server/encrypted-requests-that-are-refused.yaml"]),
        serverError(
            23, "Cryptography provider is initialized incorrectly.",
            "The length of the component of an offline signature lies outside of 4 to 8.", "Ask for 4 to 8 digits.",
            ["server/encrypted-requests-that-are-refused.yaml"]),
        serverError(
            24, "Invalid request received.",
            "A parameter is missing or wrong, or an encrypted request came a second time.",
            "The message names the parameter; `replayVerification: false` switches the check of replays off.",
            ["mobile-token/operation-errors.yaml"]),
        serverError(
            25, "Recovery code already exists.", "The user has one already.", "Revoke it first.",
            ["server/recovery-codes-that-are-refused.yaml"]),
        serverError(
            26, "Too many failed attempts to generate recovery code.",
            .unreachable("no scenario causes it. Every random code was taken."),
            "A lab's database is never that full; look at the generator."),
        serverError(27, "Recovery code was not found.", "The code is unknown.", "Use the code that was created."),
        serverError(
            28, "Invalid recovery code.", "The PUK is wrong, and the attempts are used up.",
            "`recoveryMaxFailedAttempts` says how many there are."),
        serverError(
            29, "Recovery code configuration is missing or incomplete.",
            "Recovery is not configured for the application.",
            "Configure it with `/rest/v3/recovery/config/update`.",
            ["server/recovery-codes-that-are-refused.yaml"]),
        serverError(
            30, "Token timestamp is too old.", "The digest of a token is older than `tokenValidity`.",
            "The device's clock is behind, or the digest was kept; make a new one.",
            ["watch/time-of-the-watch-counts.yaml"]),
        serverError(
            31, "Activation OTP does not match value stored in database.",
            "The one-time password is wrong, missing or not expected.", "Compare it with that of `initActivation`.",
            ["server/one-time-passwords-that-are-refused.yaml"]),
        serverError(
            32, "Activation OTP used in the wrong OTP validation mode.",
            .unreachable(
                "no scenario causes it. An activation whose password is checked in the key exchange is active after it."
            ),
            "Set it when the activation is made."),
        serverError(
            33, "Operation template was not found.", "No template has this name.", "Create the template.",
            ["server/settings-that-are-refused.yaml"]),
        serverError(
            34, "Operation was not found.", "The identifier is unknown, or the operation is another user's.",
            "Use the identifier that was created.",
            ["server/operations-that-are-refused.yaml"]),
        serverError(
            35, "Too many failed attempts to generate operation ID.",
            .unreachable("the server raises ERR0019 instead."), "–"),
        serverError(
            36, "Operation state is invalid for the requested change.", "The operation has already ended.",
            "Create another one.", ["mobile-token/operation-errors.yaml"]),
        serverError(
            37, "Operation cannot be approved.", "It is unknown, has expired or ended.", "Create another one.",
            ["server/operations-that-are-refused.yaml"]),
        serverError(
            38, "Operation cannot be rejected.", "It is unknown or has ended.", "Nothing is left to reject.",
            ["server/operations-that-are-refused.yaml"]),
        serverError(
            39, "Operation template already exists.", "A template has this name.", "Change that one.",
            ["server/settings-that-are-refused.yaml"]),
        serverError(
            40, "Activation cannot be created with the specified properties.", "`maxFailureCount` is not positive.",
            "Give a positive number.",
            ["server/activations-that-are-refused.yaml"]),
        serverError(
            41, "Operation related error occurred.", .unreachable("no version raises it."), "Read the message."),
        serverError(
            42, "Operation template related error occurred.", .unreachable("no version raises it."),
            "Read the message."),
        serverError(
            43, "Duplicate application or application version.", "The identifier is taken.", "Choose another one.",
            ["server/settings-that-are-refused.yaml"]),
        serverError(
            44, "Token timestamp is too much in the future.",
            "The digest is further ahead than `tokenForwardValidity`.",
            "The device's clock is ahead; synchronise the time.",
            ["watch/time-of-the-watch-is-ahead.yaml"]),
        serverError(
            45, "Missing temporary key pair.",
            "The key of a request of protocol 3.3 is unknown, has expired, or belongs to another app.",
            "The SDK gets a new key and sends again; `temporaryKeyValidity` says how long one lives.",
            ["server/encrypted-requests-that-are-refused.yaml"]),
        serverError(
            46, "Unsupported cryptography algorithm.",
            .unreachable("a device gets another code."),
            "Configure the application's `cryptography_algorithms_supported`."),
        serverError(
            47, "Unsupported protocol version.",
            .unreachable("`/rest/v4` raises it, and the commands of a scenario call `/rest/v3`."),
            "Send a version that the resource reads."),
    ]

    private static func serverError(
        _ code: Int, _ meaning: String, _ cause: Reachability, _ advice: String, _ scenarios: [String] = []
    ) -> Explanation {
        Explanation(
            "ERR00\(code < 10 ? "0" : "")\(code)", .serverError, code: nil, meaning, causes: cause, advice: advice,
            references: ["server.md, section 2.6"], scenarios: scenarios)
    }
}
