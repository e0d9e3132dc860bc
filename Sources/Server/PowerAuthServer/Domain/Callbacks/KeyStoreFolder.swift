import Foundation

/// The only folder for key and trust stores of callbacks: a callback's configuration names a file of the server's
/// machine, and must neither read other files nor reveal which exist.
struct KeyStoreFolder: Sendable {
    /// An absolute path, or one that begins in the working directory.
    let path: String

    /// Reads a store. Blocks.
    /// - Parameters:
    ///   - location: a path in the folder, absolute or relative to it, also as `file:` URL.
    ///   - body: parses the bytes; nil if they do not fit.
    /// - Throws: ``OutgoingRequest/Failure``, the same for a file that is missing, outside of the folder, or of another
    ///   kind.
    func read<Value>(_ location: String, _ body: ([UInt8]) throws -> Value?) throws -> Value {
        guard let file = file(at: location), let bytes = FileManager.default.contents(atPath: file),
            let value = try? body(Array(bytes))
        else {
            throw OutgoingRequest.Failure(
                description: """
                    \(location) cannot be used: it must be a PEM file in the server's folder of key stores, and a private \
                    key in it must open with the password
                    """)
        }
        return value
    }

    /// The file itself, behind all links; nil for one outside of the folder.
    private func file(at location: String) -> String? {
        let named = location.hasPrefix("file:") ? URL(string: location)?.path ?? "" : location
        let base = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
        let url = named.hasPrefix("/") ? URL(filePath: named) : base.appending(path: named)
        let file = url.standardizedFileURL.resolvingSymlinksInPath().path
        return file.hasPrefix(base.path + "/") ? file : nil
    }
}
