// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The causes of failed steps that the lab finds in the record: the lines with `because`.
    static let causeLines = [
        cause(
            "fault-took-effect", "A fault that was armed at a point of the code hit a process.",
            "A step armed it, or a stress run; the line names the step.",
            "`lab explain` with the name of the point says what can be wrong then.",
            printed: " took effect in `"),
        cause(
            "network-fault-hit", "A fault of the network hit a request of the step.",
            "A step armed it at the server; the line names the step.",
            "`server: trafficFaults` shows all of them; `skip` and `times` decide which request is hit.",
            printed: "the fault of the network"),
        cause(
            "link-fault-hit", "A fault of a link hit a message between phone and watch.",
            "A step armed it at the link; the line names the step.",
            "An immediate message that is lost is not sent again; all others are.", printed: "the fault of the link `"),
        cause(
            "server-refused", "The server refused a request of the step.",
            "What is behind the colon. The answer to the device does not have it, as in the original.",
            "Ask for the meaning of the code. Where an envelope does not open, its time or its key is the usual cause.",
            printed: "the server refused `"),
        cause(
            "wrong-signature", "The signature of a request of the step is wrong, and the server counted it.",
            "A wrong password, or other data than was signed.",
            "`failCount` shows how many there are; at the maximum the activation is blocked.",
            printed: "does not match at the server; the activation has "),
        cause(
            "process-ended", "The process that the step asks does not run.",
            "A step, a fault or the system ended it; the line says why, and in which step.",
            "`launch` starts it again.", printed: "` ended"),
        cause(
            "server-does-not-run", "The server does not run, and the step sent it a request.",
            "A step or a fault ended it.", "`server: restart` starts it again.", printed: "the server does not run"),
        cause(
            "app-is-suspended", "The app is in the background and does not run.",
            "`suspend`, or the system after the time that an app may work in the background.",
            "`resume` continues it.", printed: ": resume` continues it"),
        cause(
            "operation-is-pending",
            "Another app that shares the activation is in the middle of an exclusive operation.",
            "An activation or an upgrade of the protocol that has not ended.",
            "Let that app finish it, or end the app.", printed: "` is the owner of the pending operation `"),
        cause(
            "lock-is-held", "A process waits, or has waited, for a lock that another one holds.",
            "A request that has the turn of signed requests, or an app that was stopped with a lock.",
            "`phone: fileLocks` shows who waits for whom.", printed: " for the lock `"),
        cause(
            "link-is-down", "Phone and watch are out of each other's range.",
            "`down` of the link, or its state in lab.yaml.",
            "`up` of the link brings it back.", printed: "the link `"),
        cause(
            "device-is-locked", "The device is locked, so that protected items of the keychain cannot be read.",
            "`lock`, or a device that was started and not unlocked yet.", "`unlock` of the device opens it.",
            printed: ": unlock` opens it"),
        cause(
            "storage-refused", "The storage of the device did not take what a process wrote.",
            "`fillDisk`, or a fault of the storage.", "`freeDisk` of the device gives room.",
            printed: "the storage of `"),
        cause(
            "clock-stands-still", "The clock of the lab stands still, so that nothing becomes due.",
            "`freeze` of the clock.", "`advance` moves it.", printed: "the lab's clock stands still"),
        cause(
            "operation-was-left-out", "The app left an operation of the server's list out, because it cannot read it.",
            "The server sent a member that is missing or has another type; the line says where.",
            "Correct what the server sends. The quirk `mobile-token.1` refuses the whole list instead.",
            printed: " out of the list: "),
        cause(
            "value-was-set", "The step since which a differing value is as it is, and what set it.",
            "The command that the line names, which may belong to another app.",
            "Look at that step: it had another effect than assumed.", printed: ", when "),
        cause(
            "value-was-set-between-steps", "What set a differing value, outside of any step.",
            "Work that no step waits for, such as a request in the background.",
            "The events show when it happened.", printed: ", because "),
        cause(
            "nothing-happened", "The step waited, and no process did anything meanwhile.",
            "What is to cause the awaited state was forgotten, or comes later.",
            "Do it before the step, or in a parallel branch.",
            printed: "nothing but the attempts of this step happened"),
        cause(
            "nothing-changed-the-value", "The step waited for a value, and nothing that can change it happened.",
            "What is to change the value was forgotten, or comes later.",
            "The line says what can change it.", printed: "` while the step waited: for that, "),
    ]

    private static func cause(
        _ name: String, _ meaning: String, _ cause: String, _ advice: String, printed: String
    ) -> Explanation {
        Explanation(name, .cause, meaning, causes: .reachable(by: [cause]), advice: advice, printed: printed)
    }
}
