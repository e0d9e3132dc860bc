public import Foundation
import LabSystem

/// Files of an instance that lie outside of its directory because people look for them there, such as the key for the
/// lab of another host. They are removed with the instance, also when its owner was killed.
public enum OutsideFiles {
    private struct Note: Codable {
        let path: String
        /// Of the content. A file with another one belongs to a later instance, or to the user.
        let hash: UInt64

        init(_ path: String, _ content: Data) {
            self.path = path
            var hash = FNV1a()
            content.withUnsafeBytes { hash.add($0) }
            self.hash = hash.value
        }
    }

    /// Writes a file that only its owner can read (mode 0600).
    ///
    /// - Parameters:
    ///   - path: Absolute path of the file.
    ///   - layout: The instance that the file ends with.
    public static func write(_ content: Data, to path: String, of layout: InstanceLayout) throws {
        // Noted first: a process that dies in between has written no file, and removing a missing file is harmless.
        let notes = try FileDescriptor.open(layout.outsideFilesPath, flags: O_WRONLY | O_CREAT | O_APPEND)
        try notes.writeAll(try JSONValue(encoding: Note(path, content)).encoded() + Data("\n".utf8))
        try Files.write(content, to: path)
    }

    /// Removes those that are still as they were written.
    static func remove(_ layout: InstanceLayout) {
        guard let notes = try? Files.read(layout.outsideFilesPath) else { return }
        for line in notes.split(separator: 0x0A) {
            guard let note = try? JSONValue.parse(Data(line)).decode(Note.self),
                let content = try? Files.read(note.path), Note(note.path, content).hash == note.hash
            else { continue }
            try? Files.remove(note.path)
        }
    }
}
