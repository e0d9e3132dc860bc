/// Where the behaviours that must hold (networking.md, section 16) are stated: one entry a bullet, in the order of the
/// bullets, with the display names of the tests that hold it. `BehaviourIndexTests` keeps the names and the counts right.
enum Behaviours {
    static let tests: [(subject: String, bullets: [[String]])] = [
        (
            "Configuration and URL",
            [
                ["A URL is built with one slash between base and path, whichever of them has one"],
                [
                    "Without further arguments the system judges servers, the limit is 20 s, and the library names itself"
                ],
            ]
        ),
        ("User agent", [["The user agent is absent, the caller's text, or library, network, application and device"]]),
        ("TLS", [["A challenge is answered by the strategy"]]),
        (
            "Envelopes",
            [
                ["A request is an object with the key requestObject, or with what a subclass writes"],
                ["A successful answer has the payload and no error"],
                ["An error answer has the server's code and no payload"],
                [
                    "A list keeps its order, and an answer may have more members than its envelope",
                    "An answer with a missing, null, unknown or wrongly typed field is refused",
                    "An error code unknown to the library stays readable as text",
                ],
                ["Every code of the specification is known by its own name"],
            ]
        ),
        (
            "Requests",
            [
                ["Each kind of endpoint sends the headers of its kind, encrypted or not"],
                [
                    "A caller's header replaces the library's, ignoring case; the protocol's own cannot be replaced",
                    "A request's own timeout overrides the configuration's",
                    "A request is a POST of JSON that names language and library",
                ],
                ["A request that cannot be written is not sent"],
                [
                    "A successful envelope is a success with any HTTP status, and an error envelope is an error",
                    "A body without an envelope is an error with its reason, of the status or of the answer",
                ],
            ]
        ),
        ("Dates", [["Dates with an offset are read, with and without a fraction, to the millisecond"]]),
        (
            "Errors",
            [
                ["A wrapped error keeps everything but its reason"],
                ["The HTTP status is that of the answer"],
                ["An error of the network states whether the network or the trust is missing"],
                ["Details of PowerAuth SDK errors are passed on"],
                ["A reason is an extensible text, and the misspelt one of earlier versions is understood"],
            ]
        ),
        (
            "Operations",
            [
                ["An operation cancelled before its end runs its cancelled block once, and its end is ignored"],
                ["A finished operation can no longer be cancelled"],
                [
                    "A cancelled request ends with the reason canceled, once, at any phase, and the next signed one has its turn"
                ],
                [
                    "A second signed request is signed only after the first is answered, also by another service and by the SDK",
                    "A request of another application that shares the activation waits too",
                ],
            ]
        ),
        (
            "End to end",
            [
                [
                    "A response delegate sees every answer once, on the main queue, before the completion; it is held weakly"
                ],
                [
                    "A response delegate sees every answer once, on the main queue, before the completion; it is held weakly",
                    "Each kind of endpoint sends the headers of its kind, encrypted or not",
                ],
                [
                    "A request is signed with the right password and answered",
                    "A wrong password is a general failure with the server's code and the status 401; the right one works afterwards",
                ],
                ["A token is created for the first request and used for the next; the server's time is known before"],
                ["Without an activation its encryption and its tokens fail too, without a request for the endpoint"],
                [
                    "Without an activation a signed request has ended when post returns, and fails later on its queue, unsent"
                ],
                ["The completion is called on the queue that the caller names, on the main queue by default"],
                [
                    "A response delegate sees every answer once, on the main queue, before the completion; it is held weakly"
                ],
                ["The language is that of the moment at which a request is made"],
            ]
        ),
    ]
}
