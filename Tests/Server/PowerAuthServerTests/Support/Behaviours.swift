/// Where the behaviours of the server that must hold (mobile-token.md, section 23, group "Server") are stated: one entry a
/// bullet, in the order of the bullets, with the display names of the tests that hold it. `BehaviourIndexTests` keeps names
/// and count right.
enum Behaviours {
    static let server: [[String]] = [
        [
            "The language is looked for exactly, then in English, then in any",
            "A page takes the same queries, however many operations and applications it has",
            "An operation without template is left out of the list, and cannot be shown alone",
        ],
        [
            "Risk flags say what the app does, unless the template does",
            "A scan is asked for with a proximity code only",
            "Parameters fill texts and JSON, cannot break it, and are expanded once",
            // A null parameter is refused when the operation is created (docs/quirks.md).
            "Parameters are escaped and expanded once",
        ],
        [
            "An invalid operation is refused",
            "Parameters are escaped and expanded once",
        ],
        [
            "A wrong approval counts until the operation fails",
            "Failures before the maximum leave it unclaimed, and the last one ends it",
            "The user who approves or rejects it claims it",
            "Another application cannot reject it, and it stays unclaimed",
        ],
        [
            "A proximity code is good for its step and the next",
            "With a proximity check the code decides, and the history shows no scan request",
            "A proximity code that begins with zero keeps its eight digits",
        ],
        [
            "An operation for one activation is listed for no other",
            "An operation with a flag is for activations with that flag",
            "Lists are filtered before they are cut into pages",
            "A wrong request gets exactly the documented error",
            "An operation expires by the server's clock",
        ],
        [
            "A scanned code is signed by the server, and its digits approve the operation",
            "A code for any device is signed with the application's key",
        ],
        [
            "An activation has one row, which follows its token; a token moves with the app that shows it",
            "Five registrations at once end in one row",
            "A registration that says nothing usable is refused",
            "Personal messages are not for a blocked activation, and nothing is for a removed token",
            "An app's key without a value is left out of the payload",
        ],
    ]
}
