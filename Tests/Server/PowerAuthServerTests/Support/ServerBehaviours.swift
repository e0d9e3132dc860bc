/// Where the behaviours of the PowerAuth server that must hold (server.md, section 29) are stated: one entry a bullet, in
/// the order of the bullets, with the display names of the tests that hold it. `BehaviourIndexTests` keeps names and counts
/// right.
enum ServerBehaviours {
    /// Those that all resources share.
    private static let success = "A right request gets exactly the documented answer"
    private static let refusal = "A wrong request gets exactly the documented error"

    static let powerAuthServer: [(heading: String, bullets: [[String]])] = [
        (
            "Applications",
            [
                ["A new application is ready to use", refusal],
                ["An unsupported version of the application is served again once it is supported"],
                ["A new application is ready to use"],
            ]
        ),
        (
            "Activation",
            [
                ["A device exchanges keys, is committed and reads its status"],
                ["Commit is possible once, and only after the key exchange", refusal],
                ["History has one item for every saved change"],
                ["An unknown activation has a status that reveals nothing"],
                ["Blocking keeps the first reason, unblocking forgets it"],
                [
                    "Operations lead where the state machine says",
                    "Only an active activation signs, unlocks, decrypts and has tokens",
                ],
                ["A device exchanges keys, is committed and reads its status"],
                ["A device exchanges keys, is committed and reads its status", success],
                ["Flags are merged, replaced and removed", "Lookup requires all flags and any of the users"],
                ["Lookup requires all flags and any of the users"],
                [
                    "Lists are newest first, filtered before they are cut into pages",
                    "Lists are filtered before they are cut into pages",
                ],
            ]
        ),
        (
            "OTP",
            [
                ["The right password at key exchange activates without commit"],
                ["Wrong passwords are counted and remove the activation at the limit", "The rules of one phase"],
                ["Wrong passwords are counted and remove the activation at the limit"],
                ["A password for the commit is asked for there", "Another password replaces the one for the commit"],
                ["An unexpected password does not skip the commit", refusal],
                ["The commit phase can be the key exchange"],
                ["Init refuses invalid values"],
            ]
        ),
        (
            "Signatures",
            [
                ["Signatures of every accepted combination are valid once", success],
                ["Five wrong signatures in a row block, a right one in between resets"],
                ["The limit of failures is the activation's own"],
                ["Possession alone neither counts nor forgets"],
                ["The look-ahead window has twenty values"],
                ["Signatures of every accepted combination are valid once"],
                ["More signatures than the counter byte can tell apart"],
                [
                    "The signature covers the bytes as received",
                    "GET signs the canonical query, for any order of the parameters",
                ],
                [
                    "Signatures of every accepted combination are valid once", "A version is a number in digits",
                    refusal,
                ],
                ["The back office verifies normalised data and reports the attempts that are left"],
                ["Simultaneous verifications leave one counter"],
                ["The audit shows what was before, and no secret"],
            ]
        ),
        (
            "Offline",
            [
                ["Offline payloads are signed for one device or for all"],
                ["Biometry signs offline where it is allowed"],
                ["Offline signatures verify once at any length", refusal],
                ["A proximity code is good for the steps that are allowed"],
            ]
        ),
        (
            "ECDSA, vault, tokens",
            [
                ["Device and server keys sign in both formats"],
                [
                    "Other factors do not, and are not counted",
                    "A wrong password is counted, a bad envelope or reason is not",
                ],
                ["A wrong password is counted, a bad envelope or reason is not", refusal],
                [
                    "A token proves its factors until it is removed",
                    "A digest is used once in all the time it is valid",
                    "Timestamps have a window, and newer versions a narrower one ahead",
                    "A token of a blocked activation is invalid but shows why",
                ],
                ["Every described field is read, and refused when it has the wrong type"],
            ]
        ),
        (
            "ECIES, temporary keys",
            [
                ["A point is taken as transmitted"],
                ["An envelope is accepted once", refusal],
                ["A temporary key expires and serves its own scope only", refusal],
                ["Temporary keys are given to active and blocked activations that prove themselves"],
            ]
        ),
        (
            "Recovery",
            [
                [
                    "A code is confirmed unless it is lost",
                    "A code that comes with an activation at once is active at once",
                ],
                ["The right PUK replaces the lost activation"],
                ["Five wrong PUKs block a code", "A postcard's code and PUKs are derived by its printer"],
                ["A postcard is confirmed once by its user's device"],
            ]
        ),
        (
            "Operations",
            [
                [
                    "Parameters are escaped and expanded once",
                    "A separator in a parameter is escaped, also before a combining mark",
                ],
                [
                    "A wrong approval counts until the operation fails",
                    "Data that reads the same and is other bytes approves nothing",
                    "Failures before the maximum leave it unclaimed, and the last one ends it",
                ],
                [
                    "An unclaimed operation is claimed by the first user who reads it",
                    "The user who approves or rejects it claims it",
                ],
                ["Another application cannot reject it, and it stays unclaimed"],
                ["Only a pending operation is decided"],
                ["An operation expires by the server's clock"],
                ["A proximity code is good for its step and the next"],
                [
                    "An operation with a flag is for activations with that flag",
                    "An operation with a flag is approved by an activation that has it, unless the settings say otherwise",
                ],
                ["An invalid operation is refused", "Templates are validated and keep their name"],
                ["Cancelling keeps the reason and records the device"],
            ]
        ),
        (
            "Callbacks",
            [
                ["Secrets stay unseen, and stay when an update does not name them"],
                ["A removed callback is neither called nor listed"],
            ]
        ),
    ]

    /// The same for rest-api.md, section 13, group "Server".
    static let mobileAPI: [[String]] = [
        ["A device exchanges keys, is committed and reads its status", "A right request is answered"],
        ["Fields of another version are refused", "A field of a newer version is refused"],
        ["An envelope is accepted once"],
        [
            "A temporary key expires and serves its own scope only",
            "A temporary key serves its scope, its activation and its time",
            "A temporary key of one activation decrypts nothing for another",
        ],
        ["The wrong scope does not open", "A header of the wrong scope is refused"],
        ["A point is taken as transmitted", "An invalid point is refused"],
        ["Encrypted requests of both scopes are answered encrypted", "Any signed bytes will do"],
        ["Encrypted requests of both scopes are answered encrypted"],
        ["An activation that is not to be served is refused"],
        ["An activation that is not to be served is refused"],
        ["Every refusal looks the same"],
        [
            "Signatures of every accepted combination are valid once", "A signature is validated with other methods",
            "GET signs the canonical query, for any order of the parameters",
        ],
        ["Weak, wrong and misdirected signatures are refused alike", "Other factors do not, and are not counted"],
        ["A wrong password is counted, a bad envelope or reason is not"],
        ["A wrong password is counted, a bad envelope or reason is not", "A wrong signature creates no token"],
        ["A token proves its factors until it is removed", "Unknown keys and identifiers are refused"],
        ["An activation needs a supported version of its application"],
        ["A wrong request is refused as documented"],
        ["Unknown keys and identifiers are refused"],
        ["An unknown code is refused"],
        [
            "A custom activation without a usable user is refused and leaves nothing",
            "The provider decides about custom attributes and commits",
        ],
        [
            "The right password at key exchange activates without commit",
            "Wrong passwords are counted and remove the activation at the limit",
            "A code that comes with an activation at once is active at once",
        ],
        [
            "A wrong PUK is counted, named and finally blocks the code", "The right PUK replaces the lost activation",
            "A code that came with an activation is confirmed with its commit",
            "A postcard is confirmed once by its user's device",
        ],
        ["A sign-in at the provider activates at once, for its subject"],
        ["A status is returned in every state", "A device exchanges keys, is committed and reads its status"],
        [
            "Five wrong signatures in a row block, a right one in between resets",
            "The look-ahead window has twenty values",
        ],
        ["User info names the user"],
    ]
}
