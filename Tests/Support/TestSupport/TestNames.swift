public import Foundation

/// The texts that stand in quotation marks in the tests, among them the tests' names. An index of behaviours is compared
/// with them.
public struct TestNames {
    /// As bytes, because characters take a while.
    private var texts: Set<Data> = []

    /// Reads all files below a folder, except for the indices themselves.
    public init(below folder: URL) throws {
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.lastPathComponent.hasSuffix("Behaviours.swift") {
            try texts.formUnion(Data(contentsOf: file).split(separator: UInt8(ascii: "\"")))
        }
    }

    /// Which of some names no test has.
    public func missing(among names: some Sequence<String>) -> [String] {
        names.filter { !texts.contains(Data($0.utf8)) }
    }
}
