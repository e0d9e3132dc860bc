public import Foundation
import Synchronization

/// A guaranteed transfer of this app.
///
/// Thread rule: any thread.
public final class WCSessionUserInfoTransfer: NSObject, @unchecked Sendable {
    // Sendable is safe: `userInfo` is never changed after initialisation, and the flag sits behind a lock.

    /// The content.
    public let userInfo: [String: Any]
    let transferId: UUID
    private let transferring: Mutex<Bool>
    private let cancelTransfer: @Sendable (UUID) -> Void

    init(
        transferId: UUID, userInfo: [String: Any], isTransferring: Bool,
        cancelTransfer: @escaping @Sendable (UUID) -> Void
    ) {
        self.transferId = transferId
        self.userInfo = userInfo
        transferring = Mutex(isTransferring)
        self.cancelTransfer = cancelTransfer
    }

    /// Whether the transfer is queued or under way.
    public var isTransferring: Bool { transferring.withLock { $0 } }

    /// Takes the transfer back; no effect once the content has been transferred.
    public func cancel() {
        cancelTransfer(transferId)
    }

    func finish() {
        transferring.withLock { $0 = false }
    }
}
