public import Foundation
import Synchronization

/// A guaranteed transfer of this app.
///
/// Thread rule: any thread.
public final class WCSessionUserInfoTransfer: NSObject, @unchecked Sendable {
    // Sendable is safe: `userInfo` is never changed after initialisation, and the rest sits behind locks.

    /// The content.
    public let userInfo: [String: Any]
    let transferId: UUID
    private let standing: Mutex<TransferStanding>
    private let current: Mutex<Bool>
    private let cancelTransfer: @Sendable (UUID) -> Void

    init(
        transferId: UUID, userInfo: [String: Any], isTransferring: Bool, isCurrentComplicationInfo: Bool = false,
        cancelTransfer: @escaping @Sendable (UUID) -> Void
    ) {
        self.transferId = transferId
        self.userInfo = userInfo
        standing = Mutex(isTransferring ? .underWay : .refused)
        current = Mutex(isCurrentComplicationInfo)
        self.cancelTransfer = cancelTransfer
    }

    /// Whether the transfer is queued or under way.
    public var isTransferring: Bool { standing.withLock { $0 == .underWay } }

    /// Whether the system has taken the transfer. It may have ended before its sender looks at ``isTransferring``.
    package var wasAccepted: Bool { standing.withLock { $0 != .refused } }

    /// Phone: whether this is the newest content for the watch app's complication, which is brought at once.
    public var isCurrentComplicationInfo: Bool { current.withLock { $0 } }

    /// Takes the transfer back; no effect once the content has been transferred.
    public func cancel() {
        cancelTransfer(transferId)
    }

    /// Newer content for the complication was sent.
    func loseCurrency() {
        current.withLock { $0 = false }
    }

    /// The system has not taken it.
    func refuse() {
        standing.withLock { $0 = .refused }
    }

    func finish() {
        standing.withLock { $0 = .ended }
    }
}
