// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// Backups of the phone (sharing.md, section 21.6).
extension DeviceAgent {
    static func addBackupHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(MakeBackup.self) { arguments, agent in try agent.backUp(arguments) }
        table.answer(RestoreBackup.self) { arguments, agent in try agent.restoreBackup(arguments.name) }
    }

    private func backUp(_ wanted: MakeBackup) throws -> MakeBackup.Result {
        try expectPhone()
        guard security.state.isUnlockedSinceBoot else {
            throw ControlError.device(
                .wrongState, "\(device.name) was not unlocked since it started, so nothing can be read; use `unlock`.")
        }
        let content = try namingBackup {
            try DeviceBackup.make(wanted.name, of: device, isEncrypted: wanted.keychain, in: layout)
        }
        return MakeBackup.Result {
            $0.files = content.files
            $0.keychainItems = content.keychainItems
        }
    }

    private func restoreBackup(_ name: String) throws -> RestoreBackup.Result {
        try expectPhone()
        // Opened first: what cannot be read erases nothing.
        let backup = try namingBackup { try DeviceBackup(named: name, in: layout) }
        try erase()
        let content = try backup.restore(to: device)
        try tellLinksAboutInstallation()
        return RestoreBackup.Result {
            $0.device = backup.device
            $0.files = content.files
            $0.keychainItems = content.keychainItems
            $0.itemsLeftOut = content.itemsLeftOut
        }
    }

    private func expectPhone() throws {
        guard device.kind == .phone else {
            throw ControlError.device(.wrongState, "\(device.name) is a watch; backups are made of phones.")
        }
    }

    /// Reports an unusable name of a backup as a bad argument.
    private func namingBackup<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DeviceBackupError {
            throw ControlError.badArgument(error.description)
        }
    }
}
