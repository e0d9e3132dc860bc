// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints
import LabTesting
import LabVocabulary

/// Kills the app `main` in operations, in one instance of the lab.
///
/// Thread rule: one thread at a time. Calls block.
final class KillRun {
    /// How the processes of an operation ended.
    enum Outcome {
        /// The app died, and the other one needed this time to use their shared state, in nanoseconds.
        case killed(nextUse: UInt64)
        /// The operation did not reach that pass of the point.
        case missed
    }

    private let lab: Lab
    private let apps: SharingApps
    private let faults: FaultTable

    /// - Parameters:
    ///   - lab: an instance with ``SharingApps/cast(quirks:sdk:)``.
    ///   - sdk: the SDK of both apps.
    init(_ lab: Lab, sdk: PowerAuthSpec.SDK) throws {
        self.lab = lab
        apps = try SharingApps(lab, sdk: sdk)
        faults = try FaultTable.open(lab.layout.faultsPath)
        // The first operation starts like every later one: after a launch, and with everything in use.
        try apps.ensureActivation()
        _ = try apps.prove(after: .validatePassword)
    }

    /// Every cell of an operation: a fault at each point that only counts shows what the operation passes.
    ///
    /// - Parameter passes: How many passes of a point become cells.
    func cells(of operation: KillOperation, passes: Int) throws -> [KillCell] {
        try operation.prepare(apps)
        for point in FaultPoint.allCases where point.owners.contains(.app) {
            try faults.arm(
                FaultRule(point: point, process: apps.main.name, action: .delay(.seconds(0)), limit: 0))
        }
        try operation.perform(apps)
        // The lock of the operation is held on purpose while an activation is pending.
        if operation != .createActivation { try apps.expectNoLocks() }
        let passed = try faults.disarm()
        // It dies after its last point, so that the next operation starts as after any other death.
        try apps.main.call(Kill())
        _ = try apps.prove(after: operation)
        return passed.flatMap { armed in
            (1...max(1, passes)).prefix(armed.fired).map { KillCell(operation, at: armed.rule.point, pass: $0) }
        }
    }

    /// Kills the app in a cell, and lets both apps continue.
    ///
    /// - Throws: ``Breach``, or the error of a command that had to succeed.
    func run(_ cell: KillCell) throws -> Outcome {
        try cell.operation.prepare(apps)
        let arming = try faults.arm(
            FaultRule(point: cell.point, process: apps.main.name, action: .kill, pass: cell.pass))
        do {
            try cell.operation.perform(apps)
        } catch let error as ControlError where (error.isDeath || error.labError == .launchFailed) && hasFired(arming) {
            try faults.disarm()
            return .killed(nextUse: try apps.prove(after: cell.operation))
        }
        // A point after the answer is passed soon.
        let died = (try? lab.eventually("\(cell)") { hasFired(arming) }) != nil
        try faults.disarm()
        // It ends even if it did not die, so that the next operation starts in the same state.
        if died { try awaitDeath() } else { try apps.main.call(Kill()) }
        let time = try apps.prove(after: cell.operation)
        return died ? .killed(nextUse: time) : .missed
    }

    private func hasFired(_ arming: UInt32) -> Bool {
        faults.rules().contains { $0.id == arming && $0.fired > 0 }
    }

    private func awaitDeath() throws {
        try lab.eventually("the app dies") {
            try lab.phone.call(Processes()).contains { $0.app == apps.main.name && $0.state == .notRunning }
        }
    }
}
