// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about the backups of phones.
    static let backupCommands: [any Command.Type] = [MakeBackup.self, RestoreBackup.self]
}

// sharing.md, section 21.6
public struct MakeBackup: Command {
    public static let info = CommandInfo(
        "backup", of: .device,
        "Makes a backup of the phone: the containers of its apps with their preferences, and those of app groups.")
    @Field(.backupName, limit: "letters, digits, `-`, `_` and `.`, at most 100") public var name: String
    @Field("Whether the backup is encrypted, and the keychain in it.") public var keychain: Bool = false

    public struct Result: FieldObject {
        @Field("How many files it has.") public var files: Int
        @Field("How many items of the keychain it has.") public var keychainItems: Int
        public init() {}
    }
    public init() {}
}

// sharing.md, section 21.6
public struct RestoreBackup: Command {
    public static let info = CommandInfo(
        "restoreBackup", of: .device,
        "Erases the phone and brings a backup to it, of itself or of another phone; apps end and are not launched.")
    @Field(.backupName) public var name: String

    public struct Result: FieldObject {
        @Field("Actor name of the phone that was backed up.") public var device: String
        @Field("How many files are back.") public var files: Int
        @Field("How many items of the keychain are back.") public var keychainItems: Int
        @Field("How many items of the keychain are not, because they are for the other phone only.")
        public var itemsLeftOut: Int
        public init() {}
    }
    public init() {}
}
