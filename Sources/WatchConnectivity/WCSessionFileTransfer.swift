public import Foundation
import Synchronization

/// A guaranteed transfer of a file of this app.
///
/// Thread rule: any thread.
public final class WCSessionFileTransfer: NSObject, @unchecked Sendable {
    // Sendable is safe: `file` never changes, the flag sits behind a lock, and `progress` is changed on the session's
    // delegate queue only; what others read of it meanwhile may be one step late.

    /// The file.
    public let file: WCSessionFile
    /// How many bytes the other device has. Changes on the session's delegate queue.
    public let progress: Progress
    let transferId: UUID
    private let transferring: Mutex<Bool>
    private let cancelTransfer: @Sendable (UUID) -> Void

    init(
        transferId: UUID, file: WCSessionFile, size: Int, isTransferring: Bool,
        cancelTransfer: @escaping @Sendable (UUID) -> Void
    ) {
        self.transferId = transferId
        self.file = file
        progress = Progress(totalUnitCount: Int64(size))
        transferring = Mutex(isTransferring)
        self.cancelTransfer = cancelTransfer
    }

    /// Whether the transfer is queued or under way.
    public var isTransferring: Bool { transferring.withLock { $0 } }

    /// Takes the file back; no effect once it has been transferred.
    public func cancel() {
        cancelTransfer(transferId)
    }

    /// On the delegate queue.
    func advance(to sent: Int) {
        progress.completedUnitCount = Int64(sent)
    }

    func finish() {
        transferring.withLock { $0 = false }
    }
}
