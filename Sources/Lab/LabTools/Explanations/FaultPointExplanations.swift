// SPDX-License-Identifier: Apache-2.0

import LabPoints

extension Explanation {
    /// The places at which a fault can be armed. The declaration of each point has its meaning.
    static let faultPoints = [
        faultPoint(
            .keychainRead, "Shows what an app does when the keychain does not answer: fail it, or delay it.",
            ["sharing.md, section 12.4", "sharing.md, D8"], ["quirks/unreadable-state-is-refused.yaml"]),
        faultPoint(
            .keychainWrite, "A failure shows that a state or key that cannot be stored is reported, not lost.",
            ["sharing.md, section 12.4", "sharing.md, section 7.6"],
            ["quirks/failed-save-is-an-error.yaml", "sdk/biometry-key-is-refused.yaml"]),
        faultPoint(
            .keychainDelete,
            "A kill here leaves the biometry key or a token of an activation that is gone; no app shows them.",
            ["sharing.md, section 12.4"], ["sharing/killed-while-it-removes-the-activation.yaml"]),
        faultPoint(
            .stateSave,
            "A kill here loses what the last request has changed, such as the counter of a signature. The change is counted "
                + "already, so that other apps read the old state once more.",
            ["sharing.md, section 7.6"],
            [
                "sharing/upgrade-whose-owner-dies.yaml", "sharing/death-while-biometry-is-replaced.yaml",
                "sharing/death-while-biometry-is-removed.yaml",
            ]),
        faultPoint(
            .stateSaved,
            "A kill here leaves a complete state. With the quirk `sharing.D7` other apps are not notified.",
            ["sharing.md, section 7.6", "sharing.md, D7"],
            ["sharing/upgrade-whose-owner-dies.yaml", "sharing/death-while-biometry-is-replaced.yaml"]),
        faultPoint(
            .counterBumped,
            "A kill here leaves everything unchanged; with the quirk `sharing.D7`, a new state without a notification.",
            ["sharing.md, section 7.6", "sharing.md, D7"], ["failing/app-died.yaml"]),
        faultPoint(
            .tokenCounterBumped,
            "A kill here makes the other apps read their tokens again, although none has changed.",
            ["sharing.md, section 7.7"], ["sharing/killed-between-token-and-store.yaml"]),
        faultPoint(
            .statusLockTake,
            "A failure here shows that a task that cannot get the lock ends with an error, and changes nothing.",
            ["sharing.md, section 7.5"], ["sharing/killed-with-a-lock.yaml"]),
        faultPoint(
            .statusLockTaken,
            "A delay blocks every task of the other apps; a kill shows that the kernel releases the lock.",
            ["sharing.md, section 7.1", "sharing.md, section 7.5"],
            ["sharing/killed-with-a-lock.yaml"]),
        faultPoint(
            .statusLockReleased,
            "A kill here comes after the lock is released, and before the app learns that its task is done.",
            ["sharing.md, section 7.5"], ["sharing/killed-with-a-lock.yaml"]),
        faultPoint(
            .queueLockTake,
            "A failure here shows that a signed request without its turn in the queue ends, and is not sent.",
            ["sharing.md, section 7.9", "sharing.md, D12"], ["sharing/request-without-the-queue-lock.yaml"]),
        faultPoint(
            .queueLockTaken,
            "A delay blocks the signed requests of the other apps, and nothing else.",
            ["sharing.md, section 7.9"], ["failing/lock-is-held.yaml", "sharing/killed-with-a-lock.yaml"]),
        faultPoint(
            .queueLockReleased, "A kill here comes after the answer of a signed request, which the app may not know.",
            ["sharing.md, section 7.9"], ["sharing/block-holds-the-queue.yaml"]),
        faultPoint(
            .operationLockTake, "A kill here ends an app that has not begun its operation.",
            ["sharing.md, section 8.2"], ["sharing/killed-while-it-begins-an-activation.yaml"]),
        faultPoint(
            .operationLockTaken, "A kill here ends an operation that no other app has seen.",
            ["sharing.md, section 8.2"], ["sharing/killed-while-it-begins-an-activation.yaml"]),
        faultPoint(
            .operationStarted, "A kill here leaves the announcement of an operation whose owner is dead.",
            ["sharing.md, section 8.4", "sharing.md, section 8.5"],
            ["sharing/killed-while-it-begins-an-activation.yaml"]),
        faultPoint(
            .operationCleared,
            "A kill here leaves a finished operation that no app sees.",
            ["sharing.md, section 8.3"], ["sharing/killed-while-it-ends-an-activation.yaml"]),
        faultPoint(
            .operationLockReleased, "A kill here leaves the resulting state of the operation.",
            ["sharing.md, section 8.3"], ["sharing/killed-while-it-ends-an-activation.yaml"]),
        faultPoint(
            .memoryCreated, "A kill here leaves memory without a size, which no app can map.",
            ["sharing.md, section 5", "sharing.md, D11"], ["sharing/killed-while-it-makes-the-memory.yaml"]),
        faultPoint(
            .memorySized, "A kill here leaves memory without content, which the original takes for damaged.",
            ["sharing.md, section 5", "sharing.md, D11"], ["sharing/killed-while-it-makes-the-memory.yaml"]),
        faultPoint(
            .memoryInitialised, "A kill here leaves memory that no app has used.",
            ["sharing.md, section 7.4"], ["sharing/killed-while-it-makes-the-memory.yaml"]),
        faultPoint(
            .memoryNameRecorded, "A kill here leaves the name of memory that may not exist.",
            ["sharing.md, D15"], ["sharing/killed-while-it-makes-the-memory.yaml"]),
        faultPoint(
            .wipeBegun, "A kill here leaves everything of the earlier installation, which the next start must remove.",
            ["sharing.md, section 14"], ["sharing/killed-while-it-wipes.yaml"]),
        faultPoint(
            .wipeDone, "A kill here makes the next start wipe once more.",
            ["sharing.md, section 14"], ["sharing/killed-while-it-wipes.yaml"]),
        faultPoint(
            .wipeFlagWritten, "A kill here comes before the app knows that it was installed anew.",
            ["sharing.md, section 14"], ["sharing/killed-while-it-wipes.yaml"]),
        faultPoint(
            .biometryKeyKept, "A kill here leaves the earlier factor in force, with its key.",
            ["sharing.md, section 13", "sharing.md, D21"], ["sharing/death-while-biometry-is-replaced.yaml"]),
        faultPoint(
            .biometryKeyDropped, "A kill here leaves the new factor in force; its key is still beside its place.",
            ["sharing.md, section 12.2", "sharing.md, D21"], ["sharing/death-while-biometry-is-replaced.yaml"]),
        faultPoint(
            .biometryKeyInPlace, "A kill here leaves the new factor in force, with its key in two items.",
            ["sharing.md, section 12.2", "sharing.md, D21"], ["sharing/death-while-biometry-is-replaced.yaml"]),
        faultPoint(
            .biometryFactorRemoved, "A kill here leaves a key of no factor, which nothing uses.",
            ["sharing.md, section 12.5"], ["sharing/death-while-biometry-is-removed.yaml"]),
        faultPoint(
            .httpRequestSent, "A kill or failure here means that the server has not received the request.",
            ["sdk.md, section 7.2"], ["sharing/upgrade-whose-owner-dies.yaml"]),
        faultPoint(
            .httpResponseReceived,
            "A kill or failure here means that the server has handled the request, and the app does not know.",
            ["sdk.md, section 7.3"], ["quirks/late-answer-is-refused.yaml"]),
        faultPoint(
            .linkStore,
            "A failure here is a storage failure: queuing fails with its error, and nothing is lost.",
            ["watch.md, section 9.7"], ["watch/storage-takes-no-transfers.yaml"]),
        faultPoint(
            .linkAccepted, "A kill here shows whether an accepted message survives the death of its sender.",
            ["watch.md, section 11.6"], ["watch/device-dies-over-a-transfer.yaml"]),
        faultPoint(
            .linkSent, "A kill of the agent here shows whether the message is sent again, and delivered once.",
            ["watch.md, section 11.6"], ["watch/device-dies-over-a-transfer.yaml"]),
        faultPoint(
            .linkDelivered, "A kill of the app here makes the agent deliver the message a second time.",
            ["watch.md, section 11.6"], ["watch/device-dies-over-a-transfer.yaml"]),
        faultPoint(
            .linkAcknowledged, "A kill here leaves a message that was handled and not acknowledged.",
            ["watch.md, section 11.6"], ["watch/watch-app-dies-before-it-confirms.yaml"]),
        faultPoint(
            .serverRequestReceived, "A failure or kill here comes before anything is changed.",
            ["server.md, section 2.6"], ["failing/took-too-long.yaml"]),
        faultPoint(
            .serverBeforeCommit, "A kill here loses the whole transaction: nothing has happened.",
            ["server.md, section 2.6"], ["faults/server-dies-before-a-commit.yaml"]),
        faultPoint(
            .serverAfterCommit, "A kill here keeps the change and loses the answer.", ["server.md, section 2.6"],
            ["faults/server-dies-after-a-commit.yaml"]),
        faultPoint(
            .serverResponseSent, "A failure or kill here keeps the change; the app sees a broken connection.",
            ["server.md, section 2.6"], ["faults/server-dies-before-its-answer.yaml"]),
    ]

    private static func faultPoint(
        _ point: FaultPoint, _ use: String, _ references: [String], _ scenarios: [String] = []
    ) -> Explanation {
        let actions = point.actions.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return Explanation(
            point.rawValue, .faultPoint, point.summary,
            advice:
                "\(use) Actions: \(actions); the process is \(point.owners.map(\.title).joined(separator: " or ")).",
            references: references, scenarios: scenarios)
    }
}

extension FaultPoint.Owner {
    fileprivate var title: String {
        switch self {
        case .app: "an app"
        case .device: "the agent of a device"
        case .server: "the server"
        }
    }
}
