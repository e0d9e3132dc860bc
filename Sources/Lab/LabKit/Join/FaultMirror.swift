import Synchronization

/// Arms in a guest's table what the owner has armed for the guest's processes.
///
/// Thread rule: any thread.
public final class FaultMirror: Sendable {
    private let table: FaultTable
    /// The arming here for each of the owner's.
    private let armings = Mutex<[UInt32: UInt32]>([:])

    /// Mirrors into a table.
    public init(_ table: FaultTable) { self.table = table }

    /// Arms what is new, and disarms what is gone.
    public func follow(_ faults: [JoinFault]) throws {
        try armings.withLock { armings in
            let wanted = Set(faults.map(\.id))
            for (id, own) in armings where !wanted.contains(id) {
                try table.disarm(id: own)
                armings[id] = nil
            }
            for fault in faults where armings[fault.id] == nil {
                guard let rule = fault.rule else { continue }
                armings[fault.id] = try table.arm(rule)
            }
        }
    }

    /// The owner's number of an arming; nil when it is not the owner's.
    public func ownersID(of id: UInt32) -> UInt32? {
        armings.withLock { $0.first { $0.value == id }?.key }
    }
}
