public import Foundation
import SimulatedDevice

/// A file that was sent, or has arrived.
///
/// Thread rule: any thread.
public final class WCSessionFile: NSObject, @unchecked Sendable {
    // Sendable is safe: nothing is changed after initialisation.

    /// Where the file is. A received file is deleted when the delegate's method has returned, unless it was moved.
    public let fileURL: URL
    /// The sender's metadata of the file.
    public let metadata: [String: Any]?

    init(fileURL: URL, metadata: [String: Any]?) {
        self.fileURL = fileURL
        self.metadata = metadata
    }

    convenience init(_ file: WatchFile) {
        self.init(
            fileURL: URL(fileURLWithPath: file.path), metadata: file.metadata.flatMap(WatchContent.dictionary))
    }
}
