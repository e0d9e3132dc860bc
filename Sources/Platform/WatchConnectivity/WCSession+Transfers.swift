// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SimulatedDevice
import Synchronization

/// Transfers that arrive once and in order, also after both apps ended (watch.md, section 9.5). The content is stored
/// when a call returns.
extension WCSession {
    /// Queues a dictionary for the counterpart.
    /// - Parameter userInfo: At most 65,536 bytes as a binary property list.
    /// - Returns: The transfer. One that is refused is not transferring, and the delegate gets the reason.
    @discardableResult
    public func transferUserInfo(_ userInfo: [String: Any] = [:]) -> WCSessionUserInfoTransfer {
        enqueue(userInfo, isComplication: false)
    }

    /// Phone: queues a dictionary for the watch app's complication. It is sent before queued content, and the watch app
    /// is woken up for it. Without a complication, or when the budget of the day is used up, it is queued as any other.
    /// - Parameter userInfo: At most 65,536 bytes as a binary property list.
    /// - Returns: The transfer. One that is refused is not transferring, and the delegate gets the reason.
    @discardableResult
    public func transferCurrentComplicationUserInfo(_ userInfo: [String: Any] = [:]) -> WCSessionUserInfoTransfer {
        enqueue(userInfo, isComplication: remainingComplicationUserInfoTransfers > 0)
    }

    /// Queues a file for the counterpart.
    /// - Parameters:
    ///   - file: A file that can be read, of at most 16 MiB. It may go when the call has returned.
    ///   - metadata: At most 65,536 bytes as a binary property list.
    /// - Returns: The transfer. One that is refused is not transferring, and the delegate gets the reason: 7008 for a
    ///   URL that is not a file's, 7013 for a file that cannot be read.
    @discardableResult
    public func transferFile(_ file: URL, metadata: [String: Any]?) -> WCSessionFileTransfer {
        let described = WCSessionFile(fileURL: file, metadata: metadata)
        do throws(ContentError) {
            if let problem = problem() { throw ContentError(code: problem) }
            guard file.isFileURL else { throw ContentError(code: .invalidParameter) }
            let body = try metadata.map { metadata throws(ContentError) in try PropertyList.encode(metadata) }
            let size = try Self.size(of: file)
            let transfer = fileTransfer(UUID(), described, size: size, isTransferring: true)
            let content = TransferContent.file(WatchFile(path: file.path, size: size, metadata: body))
            state.withLock { $0.fileTransfers.append(transfer) }
            if let code = backend?.queueTransfer(transfer.transferId, content) {
                state.withLock { $0.fileTransfers.removeAll { $0 === transfer } }
                transfer.refuse()
                reportEnd(of: transfer, error: WCError.reported(code))
            }
            return transfer
        } catch {
            let transfer = fileTransfer(UUID(), described, size: 0, isTransferring: false)
            reportEnd(of: transfer, error: WCError(error.code))
            return transfer
        }
    }

    /// The transfers that are queued or under way, oldest first.
    public var outstandingUserInfoTransfers: [WCSessionUserInfoTransfer] { state.withLock { $0.transfers } }
    /// The files that are queued or under way, oldest first.
    public var outstandingFileTransfers: [WCSessionFileTransfer] { state.withLock { $0.fileTransfers } }

    private static func size(of file: URL) throws(ContentError) -> Int {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue,
            let handle = try? FileHandle(forReadingFrom: file), let end = try? handle.seekToEnd()
        else { throw ContentError(code: .fileAccessDenied) }
        let size = Int(clamping: end)
        guard size <= WatchFile.limit else { throw ContentError(code: .payloadTooLarge) }
        return size
    }

    private func enqueue(_ userInfo: [String: Any], isComplication: Bool) -> WCSessionUserInfoTransfer {
        let transferId = UUID()
        do throws(ContentError) {
            if let problem = problem() { throw ContentError(code: problem) }
            let body = try PropertyList.encode(userInfo)
            let transfer = transfer(transferId, userInfo, isTransferring: true, isComplication: isComplication)
            // Listed before it is queued: the end of the transfer may be reported at once.
            state.withLock { state in
                if isComplication { for older in state.transfers { older.loseCurrency() } }
                state.transfers.append(transfer)
            }
            if let code = backend?.queueTransfer(transferId, .userInfo(body, isComplication: isComplication)) {
                state.withLock { $0.transfers.removeAll { $0.transferId == transferId } }
                transfer.refuse()
                reportEnd(of: transfer, error: WCError.reported(code))
            }
            return transfer
        } catch {
            let transfer = transfer(transferId, userInfo, isTransferring: false)
            reportEnd(of: transfer, error: WCError(error.code))
            return transfer
        }
    }

    // MARK: Objects and ends

    func transfer(
        _ transferId: UUID, _ userInfo: [String: Any], isTransferring: Bool, isComplication: Bool = false
    ) -> WCSessionUserInfoTransfer {
        WCSessionUserInfoTransfer(
            transferId: transferId, userInfo: userInfo, isTransferring: isTransferring,
            isCurrentComplicationInfo: isComplication
        ) { [weak backend] in backend?.cancelTransfer($0) }
    }

    func fileTransfer(
        _ transferId: UUID, _ file: WCSessionFile, size: Int, isTransferring: Bool
    ) -> WCSessionFileTransfer {
        WCSessionFileTransfer(transferId: transferId, file: file, size: size, isTransferring: isTransferring) {
            [weak backend] in backend?.cancelTransfer($0)
        }
    }

    /// Notifies the delegate; `isTold` runs once it has returned.
    func reportEnd(
        of transfer: WCSessionUserInfoTransfer, error: (any Error)?, isTold: @escaping @Sendable () -> Void = {}
    ) {
        queue.async {
            guard let delegate = self.delegate else { return }
            delegate.session(self, didFinish: transfer, error: error)
            isTold()
        }
    }

    /// Notifies the delegate; `isTold` runs once it has returned.
    func reportEnd(
        of transfer: WCSessionFileTransfer, error: (any Error)?, isTold: @escaping @Sendable () -> Void = {}
    ) {
        queue.async {
            guard let delegate = self.delegate else { return }
            delegate.session(self, didFinish: transfer, error: error)
            isTold()
        }
    }
}

/// Content rules of messages and transfers (watch.md, section 9.8).
enum PropertyList {
    /// The binary property list of a dictionary.
    static func encode(
        _ dictionary: [String: Any], limit: Int = WatchContent.messageLimit
    ) throws(ContentError) -> Data {
        guard isPropertyList(dictionary),
            let data = try? PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0),
            WatchContent.problem(in: data, isPropertyList: true, limit: .max) == nil
        else { throw ContentError(code: .payloadUnsupportedTypes) }
        return try WatchContent.checked(data, limit: limit)
    }

    private static func isPropertyList(_ value: Any) -> Bool {
        switch value {
        case is String, is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is NSNumber, is Date, is Data: true
        case let array as [Any]: array.allSatisfy(isPropertyList)
        case let dictionary as [String: Any]: dictionary.values.allSatisfy(isPropertyList)
        default: false
        }
    }
}

extension WatchContent {
    /// The data, unless they are too large.
    static func checked(_ data: Data, limit: Int = messageLimit) throws(ContentError) -> Data {
        guard data.count <= limit else { throw ContentError(code: .payloadTooLarge) }
        return data
    }
}

/// Why content is refused.
struct ContentError: Error {
    let code: WCError.Code
}
