public import Foundation

/// The texts that stand in quotation marks in the tests, among them the tests' names. An index of behaviours is compared
/// with them.
public enum TestNames {
    /// The texts of all files below a folder, except for the indices themselves; as bytes, because characters take a while.
    public static func texts(below folder: URL) throws -> Set<Data> {
        var texts: Set<Data> = []
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.lastPathComponent.hasSuffix("Behaviours.swift") {
            try texts.formUnion(Data(contentsOf: file).split(separator: UInt8(ascii: "\"")))
        }
        return texts
    }
}
