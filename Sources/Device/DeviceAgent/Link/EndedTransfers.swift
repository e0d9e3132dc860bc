import Foundation

/// Own transfers that have ended, until their app was notified (watch.md, section 11.6).
///
/// A value that decides nothing; finding one takes no longer when there are many.
struct EndedTransfers: Equatable, Sendable {
    private struct Entry: Equatable {
        var place: UInt64
        var transfer: FinishedTransfer
    }

    private var entries: [UUID: Entry] = [:]
    private var lastPlace: UInt64 = 0

    /// - Parameter transfers: in the order of their ends.
    init(_ transfers: [FinishedTransfer] = []) {
        transfers.forEach { add($0) }
    }

    var count: Int { entries.count }

    /// A transfer is over.
    mutating func add(_ transfer: FinishedTransfer) {
        lastPlace += 1
        entries[transfer.transferId] = Entry(place: lastPlace, transfer: transfer)
    }

    /// The app was notified.
    ///
    /// - Returns: false when there is no such transfer of the app.
    mutating func told(_ transferId: UUID, by app: String) -> Bool {
        guard entries[transferId]?.transfer.app == app else { return false }
        entries[transferId] = nil
        return true
    }

    /// The ends not yet reported to an app, in order; to any app if `app` is nil.
    func waiting(for app: String? = nil) -> [FinishedTransfer] {
        entries.values.filter { app == nil || $0.transfer.app == app }.sorted { $0.place < $1.place }.map(\.transfer)
    }

    /// The app was removed from the device.
    mutating func forget(_ app: String) {
        entries = entries.filter { $0.value.transfer.app != app }
    }
}
