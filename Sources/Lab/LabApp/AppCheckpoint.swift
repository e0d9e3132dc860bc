// SPDX-License-Identifier: Apache-2.0

import LabCore
import SimulatedDevice

/// A place in the logic of an app, between two steps that another app may come between.
///
/// `lab explore` and an `order` of a scenario hold the app here, as at a fault point; the place is called
/// `checkpoint.NAME`. Otherwise, and outside of the lab, it does nothing.
///
/// ```swift
/// let balance = try await bank.balance()
/// checkpoint("balance-read")
/// try await bank.transfer(balance)
/// ```
///
/// Thread rule: any thread, which is blocked while the app is held. On the main actor it keeps the app's other work
/// waiting, too.
///
/// - Parameter name: letters, digits, dots and hyphens, 1 to 60 characters; another name is a programming error and
///   ends the process. A name that several places share makes orders hard to read, and is allowed.
public func checkpoint(_ name: String) {
    guard let checkpoint = Checkpoint(name) else {
        preconditionFailure("checkpoint(\"\(name)\"): the name of a checkpoint has \(Checkpoint.rule).")
    }
    Sandbox.currentIfEntered?.pass(checkpoint)
}
