import Foundation

/// The one folder that callbacks may have their key and trust stores in: whoever configures a callback names a file of the
/// server's machine, and may neither read others this way nor learn which there are.
struct KeyStoreFolder: Sendable {
    /// An absolute path, or one that begins in the working directory.
    let path: String

    /// Reads a store. Blocks.
    /// - Parameters:
    ///   - location: a path in the folder, absolute or relative to it, also as `file:` URL.
    ///   - body: makes what is wanted of the bytes, or nil where they have none of it.
    /// - Throws: ``OutgoingRequest/Failure``, the same whether there is no such file, it is elsewhere, or it is something
    ///   else.
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
