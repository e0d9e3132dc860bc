public import Foundation
import Synchronization

/// A guaranteed transfer of a file of this app.
///
/// Thread rule: any thread.
public final class WCSessionFileTransfer: NSObject, @unchecked Sendable {
    // Sendable is safe: `file` never changes, the standing sits behind a lock, and `progress` is changed on the session's
    // delegate queue only; what others read of it meanwhile may be one step late.

    /// The file.
    public let file: WCSessionFile
    /// How many bytes the other device has. Changes on the session's delegate queue.
    public let progress: Progress
    let transferId: UUID
    private let standing: Mutex<TransferStanding>
    private let cancelTransfer: @Sendable (UUID) -> Void

    init(
        transferId: UUID, file: WCSessionFile, size: Int, isTransferring: Bool,
        cancelTransfer: @escaping @Sendable (UUID) -> Void
    ) {
        self.transferId = transferId
        self.file = file
        progress = Progress(totalUnitCount: Int64(size))
        standing = Mutex(isTransferring ? .underWay : .refused)
        self.cancelTransfer = cancelTransfer
    }

    /// Whether the transfer is queued or under way.
    public var isTransferring: Bool { standing.withLock { $0 == .underWay } }

    /// Whether the system has taken the transfer. It may have ended before its sender looks at ``isTransferring``.
    package var wasAccepted: Bool { standing.withLock { $0 != .refused } }

    /// Takes the file back; no effect once it has been transferred.
    public func cancel() {
        cancelTransfer(transferId)
    }

    /// On the delegate queue.
    func advance(to sent: Int) {
        progress.completedUnitCount = Int64(sent)
    }

    /// The system has not taken it.
    func refuse() {
        standing.withLock { $0 = .refused }
    }

    func finish() {
        standing.withLock { $0 = .ended }
    }
}
