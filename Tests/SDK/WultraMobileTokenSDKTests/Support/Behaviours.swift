/// Where the behaviours that must hold (mobile-token.md, section 23) are stated: one entry a bullet of the client, in the
/// order of the bullets, with the display names of the tests that hold it, and the scenarios where the real server takes
/// part. `BehaviourIndexTests` keeps names and counts right.
enum Behaviours {
    /// What holds one behaviour.
    struct Bullet {
        var tests: [String] = []
        /// Files below `Scenarios`, which the catalogue runs with apps and server as processes.
        var scenarios: [String] = []
    }

    static let groups: [(name: String, bullets: [Bullet])] = [
        (
            "Request serialisation",
            [
                Bullet(
                    tests: ["A registration for pushes names the platform and the token in capital hexadecimal digits"]
                ),
                Bullet(tests: ["An approval has identifier and data, and nothing else"]),
                Bullet(
                    tests: ["The approval of an operation with a proximity check carries it with both times"]),
                Bullet(tests: ["A rejection states its reason, also a custom one"]),
            ]
        ),
        (
            "List decoding",
            [
                Bullet(tests: ["The server's time and the dates of operations are read with their zone"]),
                Bullet(
                    tests: ["Eight attributes keep their order and classes, labels their characters, and exact values"]
                ),
                Bullet(tests: ["An amount of twelve digits and two decimals is exact"]),
                Bullet(tests: ["Two factors with two variants and one factor with one variant are read"]),
                Bullet(
                    tests: ["Raw amounts alone make texts, and texts alone leave the raw amounts nil"]),
                Bullet(
                    tests: ["An attribute of an unknown kind is unknown, keeps its label and disturbs no other one"]),
                Bullet(tests: ["An amount without a value is left out, and a conversion behind it stays"]),
                Bullet(tests: ["Result texts are nil without any, and each is nil without its own"]),
                Bullet(tests: ["A refusal has code and message, and no operations"]),
                Bullet(tests: ["A history has an operation of each status"]),
            ]
        ),
        (
            "UI data",
            [
                Bullet(tests: ["A warning with three points and a slider is read completely, with both flags"]),
                Bullet(tests: ["A screen of an unknown kind before the approval is unknown and keeps its heading"]),
                Bullet(tests: ["A generic payload is the same JSON, and its members have their types"]),
                Bullet(tests: ["A redirection has its text, URL and countdown; flags that are not sent are nil"]),
                Bullet(tests: ["A review shows its note, with identifier and text of the label"]),
                Bullet(
                    tests: [
                        "Members that are null or missing are nil, a cell without a name is dropped, and cells that are an object are nil"
                    ]),
            ]
        ),
        (
            "QR parser",
            [
                Bullet(tests: ["Seven lines are an operation with four fields and four flags"]),
                Bullet(tests: ["An eighth line is the proximity code, and is signed"]),
                Bullet(
                    tests: ["More lines are a newer format, whose additions are signed and not understood"]),
                Bullet(tests: ["An operation needs an identifier, but neither title nor message"]),
                Bullet(tests: ["Data without version and template are refused"]),
                Bullet(tests: ["Missing flags are false, in any order"]),
                Bullet(tests: ["Nonces, signatures and keys of a wrong form are refused"]),
                Bullet(tests: ["Escapes of texts are resolved, but for the asterisk, which only data escape"]),
                Bullet(tests: ["Escapes of data are resolved in every kind of text"]),
                Bullet(
                    tests: [
                        "Amounts are numbers with a currency",
                        "An invalid amount is refused, also with a valid beginning",
                    ]),
                Bullet(tests: ["Accounts are an IBAN with or without the code of a bank"]),
                Bullet(tests: ["Dates are days of the calendar"]),
                Bullet(tests: ["Fields may be left out"]),
            ]
        ),
        (
            "PAC",
            [
                Bullet(tests: ["A text without an operation yields nil"]),
                Bullet(tests: ["A link has its operation and its one-time password, in any encoding"]),
                Bullet(tests: ["A JWT names them too, alone and in a link, with and without padding"]),
            ]
        ),
        (
            "Push parser",
            [
                Bullet(
                    tests: [
                        "Other pushes yield nil",
                        "A new operation is recognised, with its content where both texts are there",
                    ]),
                Bullet(tests: ["The end of an operation is recognised with its result"]),
                Bullet(tests: ["A message in the inbox is recognised"]),
            ]
        ),
        (
            "Expiration watcher",
            [
                Bullet(tests: ["Each operation is watched once, and the watched ones are returned"]),
                Bullet(
                    tests: [
                        "An operation that expires now is reported after five seconds, no longer watched; a later one stays"
                    ]),
            ]
        ),
        (
            "Service (integration)",
            [
                Bullet(
                    tests: [
                        "A cancelled list is not completed, reports that it is cancelled, and changes nothing",
                        "A cancelled detail is not completed and reports that it is cancelled",
                    ], scenarios: ["mobile-token/list-and-delegate.yaml"]),
                Bullet(scenarios: ["mobile-token/claim-with-proximity-check.yaml"]),
                Bullet(scenarios: ["mobile-token/claim-with-proximity-check.yaml"]),
                Bullet(scenarios: ["mobile-token/history.yaml"]),
                Bullet(
                    tests: [
                        "A rejection is signed with possession, an approval with the app's factors, and details carry the token"
                    ],
                    scenarios: ["mobile-token/a-payment-from-push-to-approval.yaml", "mobile-token/rejection.yaml"]),
                Bullet(
                    tests: ["Polling loads repeatedly, notifies the delegate, and ends on request"],
                    scenarios: ["mobile-token/polling.yaml"]),
                Bullet(
                    tests: [
                        "A service that pauses polls nothing until the app is active again, then at once",
                        "Polling that was ended while it waited does not continue",
                    ], scenarios: ["mobile-token/polling.yaml"]),
                Bullet(
                    tests: ["The delegate is notified of operations added and removed by lists, claims and decisions"],
                    scenarios: ["mobile-token/list-and-delegate.yaml", "mobile-token/rejection.yaml"]),
                Bullet(scenarios: ["mobile-token/offline-operation.yaml"]),
                Bullet(tests: ["After the first call the server's time is known"]),
                Bullet(
                    tests: ["All messages are those of all pages, each once, up to the limit"],
                    scenarios: ["mobile-token/inbox.yaml"]),
            ]
        ),
    ]
}
