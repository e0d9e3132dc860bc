/// Where the behaviours that must hold for sharing (sharing.md, section 19) are stated: one entry for each name of the
/// section, in its order. `SharingBehaviourTests` keeps names and order right.
enum SharingBehaviours {
    struct Entry {
        /// The name in the specification; the number of the section where that has no names.
        let name: String
        /// Display names of tests within one process.
        var tests: [String] = []
        /// Where processes show it that run side by side: files below `Scenarios`, and display names of end-to-end tests.
        var processes: [String] = []
    }

    static let all: [Entry] = [
        Entry(
            name: "S-0",
            tests: [
                "Every way to begin and to protect an activation gives one that signs",
                "Each new password validates after a change, with password objects and with texts",
                "The factor is added with persisting, removed on request, and added again with the password",
                "A key added to an activation protects it; removed, it is no longer needed",
                "A temporary key that has expired between two vault operations is replaced, and both succeed",
            ],
            processes: ["sdk/shared-activation.yaml", "sharing/extension-with-the-full-sdk.yaml"]),
        Entry(
            name: "S-1",
            tests: ["A valid activation refuses to be persisted again or to be replaced, and stays valid"],
            processes: ["sharing/activation-over-an-activation-is-refused.yaml"]),
        Entry(
            name: "S-2", tests: ["S-2: an application that starts later finds the activation"],
            processes: ["sharing/sdk-object-is-made-again.yaml"]),
        Entry(
            name: "S-3",
            tests: [
                "Of two validations the second, cancelled at once, stays silent, and the first succeeds",
                "An operation cancelled in the queue, first or later, is never executed, and the queue continues",
            ],
            processes: ["sharing/cancelled-request-blocks-no-other.yaml"]),
        Entry(
            name: "S-4",
            processes: [
                "sharing/fifty-rounds-of-two-apps.yaml", "sharing/eight-apps.yaml",
                "Signatures of both apps at once use each counter value exactly once (S-4)",
            ]),
        Entry(
            name: "S-5", tests: ["S-5: the others see the operation and its owner, and cannot start one"],
            processes: [
                "sharing/three-apps-activate.yaml", "sharing/three-apps-begin-at-once.yaml",
                "sharing/operation-is-seen-before-the-answer.yaml",
                "sharing/second-app-meets-pending-activation.yaml", "sharing/one-of-two-activations-wins.yaml",
                "sharing/owner-of-pending-activation-is-killed.yaml", "sharing/eight-apps.yaml",
            ]),
        Entry(
            name: "S-6",
            // That the token objects differ can be seen in a process only.
            tests: [
                "S-6: a token of one application is the other's at once, with the same identifier but another object"
            ],
            processes: [
                "sharing/three-apps-share-tokens.yaml", "sharing/tokens-of-two-apps.yaml", "sharing/eight-apps.yaml",
            ]),
        Entry(name: "T-1", tests: ["Without the activation no tokens can be requested"]),
        Entry(name: "T-2", tests: ["A token requested again is the same one, and its headers validate on the server"]),
        Entry(
            name: "T-3", tests: ["A token survives a restart: its header is valid and it is not created again"],
            processes: ["sharing/sdk-object-is-made-again.yaml"]),
        Entry(name: "T-4", tests: ["A removed token is deleted locally and on the server"]),
        Entry(
            name: "T-5",
            tests: [
                "Requests at the same time share one token a name; other factors are refused; a cancelled one is silent"
            ]),
        Entry(name: "T-6", tests: ["A stored token is not given for other factors, either way"]),
        Entry(
            name: "C-1",
            tests: ["Twenty tokens are requested at once, and removed at once, and the activation stays active"]),
        Entry(
            name: "K-1",
            tests: [
                "Signing with biometry without a factor gives no header and the error biometryFailed; without a sensor the error biometryNotAvailable"
            ],
            processes: ["sdk/biometry.yaml"]),
        Entry(
            name: "K-2",
            tests: ["The factor is added with persisting, removed on request, and added again with the password"]),
        Entry(
            name: "K-3", tests: ["A context that allows no interaction gives no header and the error biometryFailed"]),
        Entry(name: "E-1", tests: ["E-1: the identifier is found in every data version from 3 to 6"]),
        Entry(
            name: "E-2",
            tests: [
                "E-2: an empty session has no activation",
                "E-2: every truncation before the end of the identifier is unreadable",
            ]),
        Entry(
            name: "19.9",
            tests: [
                "A new clock is local time; small differences are accepted without an adjustment",
                "Differences of half a minute move the clock, small changes of them do not, a reset forgets them",
                "An exchange of ten seconds counts; slower ones are ignored",
                "Only the object of the start, and no start in the future, ends a measurement",
            ]),
        Entry(
            name: "I-1",
            tests: [
                "I-1: the first application makes exactly the documented 256 bytes",
                "I-1: a second application does not change a byte",
            ],
            processes: ["sharing/sdk-object-is-made-again.yaml", "sharing/what-the-memory-counts.yaml"]),
        Entry(
            name: "I-2",
            tests: ["I-2: memory of another instance is refused and unchanged, checked in the documented order"],
            processes: ["sharing/memory-identifiers.yaml", "sharing/memory-whose-name-is-removed.yaml"]),
        Entry(
            name: "I-3", tests: ["I-3: reading never counts, and neither does a write task that changes nothing"],
            processes: ["sharing/what-the-memory-counts.yaml"]),
        Entry(
            name: "I-4", tests: ["I-4: a changed state counts once, however deep the tasks were nested"],
            processes: ["sharing/what-the-memory-counts.yaml"]),
        Entry(
            name: "I-5", tests: ["I-5: removing all tokens counts once, reading does not count"],
            processes: ["sharing/what-the-memory-counts.yaml"]),
        Entry(
            name: "I-6", tests: ["I-6: a start counts the ticket, the end clears type, time and application"],
            processes: ["sharing/what-the-memory-counts.yaml"]),
        Entry(
            name: "I-7",
            tests: ["I-7: while one application is inside a task, the other waits and then sees the result"],
            processes: ["sharing/block-holds-the-queue.yaml", "sharing/eight-apps.yaml"]),
        Entry(
            name: "I-8",
            tests: [
                "An application identifier has 1 to 127 bytes",
                "An app group leaves room for the identifier within 31 bytes",
                "A memory identifier is 1 to 4 characters of its alphabet",
            ],
            processes: [
                "limits/application-identifier-of-128-bytes.yaml", "limits/app-group-of-27-bytes.yaml",
                "sharing/memory-identifiers.yaml",
            ]),
    ]
}
