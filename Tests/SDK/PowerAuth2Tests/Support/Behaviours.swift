/// Where the behaviours that must hold (sdk.md, section 12) are stated: one entry a bullet, in the order of the bullets,
/// with the display names of the tests that hold it. `BehaviourIndexTests` keeps the names and the counts right.
enum Behaviours {
    static let tests: [(section: String, bullets: [[String]])] = [
        (
            "12.1",
            [
                ["A fresh SDK object, and one whose activation was removed locally, can start an activation"],
                ["An activation is pending as soon as its task is there"],
                ["Until it is persisted an activation stays pending, with identifier and fingerprint, without status"],
                [
                    "A persisted activation waits for the server's commit, then is active",
                    "An activation is active at once when the server commits by itself",
                    "An activation is active at once when its one-time password was checked in the key exchange",
                ],
                ["Device and server show the same fingerprint and name from the key exchange on"],
                ["Every way to begin and to protect an activation gives one that signs"],
                ["Removing the activation removes it on the server and here"],
                ["A valid activation refuses to be persisted again or to be replaced, and stays valid"],
                [
                    "An application version that the server no longer supports cannot activate, and nothing is left pending"
                ],
                ["The last fetched status is known after a fetch and forgotten with the activation"],
            ]
        ),
        (
            "12.2",
            [
                ["Blocking, unblocking and removal on the server are seen by the next fetch"],
                [
                    "Fetches at the same time share one object; a cancelled one is silent; one started in a callback asks again"
                ],
                [
                    "Wrong passwords are counted, possession alone changes nothing, the right one forgives; the last wrong one blocks"
                ],
                [
                    "Signatures that never reach the server do no harm while the status is fetched in between",
                    "More lost signatures than the server looks ahead are a deadlock",
                ],
                ["A server that is ahead is followed; one that is too far ahead is a deadlock"],
                ["More validations than the counter's byte has values succeed, active all the way"],
            ]
        ),
        (
            "12.3",
            [
                ["A wrong password is refused, and while the activation is blocked the right one too"],
                ["Each new password validates after a change, with password objects and with texts"],
                [
                    "Signatures of one and of two factors verify for POST and for GET",
                    "A signature over other factors, data, method or identifier does not verify",
                    "Offline signatures verify, and changed ones do not",
                ],
                ["With a component length of 4, possession alone signs with four digits"],
                ["Offline payloads verify with the key that their last line names, and with no other"],
                [
                    "Data signed with the device's private key verify on the server",
                    "A signed JWT keeps its claims and verifies on the server over the text of its first two parts",
                ],
                ["The header of a signature has its scheme and quoted fields, and names the current protocol"],
            ]
        ),
        (
            "12.4",
            [
                [
                    "The recovery data of an activation are confirmed, come back from the vault and replace a lost activation",
                    "Without recovery data on the server the application has none",
                ]
            ]
        ),
        (
            "12.5",
            [
                ["A key added to an activation protects it; removed, it is no longer needed"],
                ["A key of the configuration, or set before the activation, protects it until it is removed"],
                ["Without its key an activation can only read its status; with the key, the password validates"],
                [
                    "The external key protects knowledge and biometry only; a second key and a second removal are refused"
                ],
            ]
        ),
        (
            "12.6",
            [
                [
                    "Signing with biometry without a factor gives no header and the error biometryFailed; without a sensor the error biometryNotAvailable"
                ],
                ["The factor is added with persisting, removed on request, and added again with the password"],
                ["A context that allows no interaction gives no header and the error biometryFailed"],
            ]
        ),
        (
            "12.7",
            [
                ["Of two validations the second, cancelled at once, stays silent, and the first succeeds"],
                [
                    "Every operation that ends well or badly is executed and reported once, and none is cancelled",
                    "An operation cancelled while it works, or by its own work, is not reported and handles the cancel once",
                    "An operation cancelled in the queue, first or later, is never executed, and the queue continues",
                ],
            ]
        ),
        (
            "12.8",
            [
                ["All callers get the one result, and the work starts once"],
                ["A cancelled caller is not called, the others are"],
                ["When the last caller cancels, the work is cancelled once and no callback is called"],
                ["In a phase that must not be interrupted the work continues without callers"],
                ["A group that starts no work fails its callers with the error operationCancelled"],
                [
                    "A forced cancel reaches the newest part of the work, and all callers get the error operationCancelled"
                ],
            ]
        ),
        (
            "12.9",
            [
                ["A token requested again is the same one, and its headers validate on the server"],
                ["A token survives a restart: its header is valid and it is not created again"],
                [
                    "A removed token is deleted locally and on the server",
                    "Without the activation no tokens can be requested",
                ],
                [
                    "Requests at the same time share one token a name; other factors are refused; a cancelled one is silent"
                ],
                ["A stored token is not given for other factors, either way"],
                ["Twenty tokens are requested at once, and removed at once, and the activation stays active"],
            ]
        ),
        (
            "12.10",
            [
                ["An activation made by one application is valid in the other without a restart"],
                ["While one application activates, the other gets that error; afterwards both are valid"],
                ["A token of one application is available to the other at once, and removed from both by either"],
                ["Fifty rounds of fetches and validations by both applications at the same time all succeed"],
            ]
        ),
        (
            "12.11",
            [
                [
                    "A new clock is local time; small differences are accepted without an adjustment",
                    "A new SDK object uses local time until it has asked the server",
                ],
                ["Differences of half a minute move the clock, small changes of them do not, a reset forgets them"],
                ["An exchange of ten seconds counts; slower ones are ignored"],
                ["Only the object of the start, and no start in the future, ends a measurement"],
            ]
        ),
        (
            "12.12",
            [
                [
                    "An activation by code has the code without its signature as identity, and may have a one-time password",
                    "A recovery has code without prefix and PUK as identity; an invalid code or PUK is refused",
                    "An activation by an identity provider names its method; the verifier is optional, empty texts are refused",
                    "Custom attributes, extras and name are kept, and every setter gives the same object",
                    "A one-time password belongs to an activation by code only",
                ],
                [
                    "Objects to persist with use possession and a password, and biometry when asked for",
                    "Objects to sign with use the factors of their name",
                ],
                [
                    "Without claims everything is nil or false",
                    "Every claim has its property; custom claims are among all of them",
                    "A JSON null counts as missing everywhere", "A flag is true only for a true value",
                ],
                ["Basic authentication and a custom header appear in every request"],
                ["Base64url keeps every byte, needs no padding, and has one spelling"],
                ["The claims of the activation, of a fetch, and the last known ones agree"],
                [
                    "The application scope works before any activation, and in a new object of an application that has one"
                ],
                ["A temporary key that has expired between two vault operations is replaced, and both succeed"],
                ["A configuration text is built from its three parts, and checked"],
            ]
        ),
        (
            "12.13",
            [
                ["An immutable password counts bytes", "Passwords of equal bytes are equal, mutable or not"],
                [
                    "Characters are added, inserted and removed; positions out of range are refused",
                    "A character of several bytes is one character, and removed as one",
                ],
                ["A cleared password is empty, its copy is not, and a mutable one takes characters again"],
            ]
        ),
        ("12.14", [["Its requests are refused until a status fetch has upgraded it"]]),
        (
            "12.15",
            [
                [
                    "A token request with an ephemeral key off the curve is refused, and the activation keeps working",
                    "A server key off the curve ends the key exchange with the error invalidActivationData",
                ]
            ]
        ),
    ]
}
