// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SimulatedDevice
import Synchronization

/// A guaranteed transfer of a file of this app. Thread rule: any thread.
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
    public func cancel() { cancelTransfer(transferId) }

    /// On the delegate queue.
    func advance(to sent: Int) { progress.completedUnitCount = Int64(sent) }
    /// The system has not taken it.
    func refuse() { standing.withLock { $0 = .refused } }
    func finish() { standing.withLock { $0 = .ended } }
}

/// A file that was sent, or has arrived. Thread rule: any thread.
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
        self.init(fileURL: URL(fileURLWithPath: file.path), metadata: file.metadata.flatMap(WatchContent.dictionary))
    }
}

/// A guaranteed transfer of this app. Thread rule: any thread.
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
    public func cancel() { cancelTransfer(transferId) }

    /// Newer content for the complication was sent.
    func loseCurrency() { current.withLock { $0 = false } }
    /// The system has not taken it.
    func refuse() { standing.withLock { $0 = .refused } }
    func finish() { standing.withLock { $0 = .ended } }
}

/// How far a guaranteed transfer is.
enum TransferStanding: Sendable {
    /// The system has not taken it.
    case refused
    /// It is queued or under way.
    case underWay
    /// It has arrived, was taken back, or failed on its way.
    case ended
}
