/// The operations that the service knows, and what an app is notified of when they change (mobile-token.md, section
/// 6.3).
struct OperationRegister {
    /// What the delegate is notified of.
    struct Change {
        let operations: [WMTUserOperation]
        var removed: [WMTUserOperation] = []
        var added: [WMTUserOperation] = []
    }

    /// Whether known operations keep content and place when they are listed again (mobile-token.md, section 24, item
    /// 2).
    let keepsOldOperations: Bool
    private var operations: [WMTUserOperation] = []

    init(keepsOldOperations: Bool) {
        self.keepsOldOperations = keepsOldOperations
    }

    /// Takes the server's list, in its order; each operation once.
    mutating func replace(with listed: [WMTUserOperation]) -> Change {
        let known = Set(operations.map(\.id))
        let removed = operations.filter { old in !listed.contains { $0.id == old.id } }
        if keepsOldOperations {
            let added = listed.filter { !known.contains($0.id) }
            operations.removeAll { old in removed.contains { $0.id == old.id } }
            operations += added
            return Change(operations: operations, removed: removed, added: added)
        }
        var seen: Set<String> = []
        operations = listed.filter { seen.insert($0.id).inserted }
        return Change(
            operations: operations, removed: removed, added: operations.filter { !known.contains($0.id) })
    }

    /// Appends a claimed operation; nil when it is known.
    mutating func add(_ operation: WMTUserOperation) -> Change? {
        guard !operations.contains(where: { $0.id == operation.id }) else { return nil }
        operations.append(operation)
        return Change(operations: operations, added: [operation])
    }

    /// Removes an operation that is done; nil when it is not known.
    mutating func remove(id: String) -> Change? {
        guard let index = operations.firstIndex(where: { $0.id == id }) else { return nil }
        let removed = operations.remove(at: index)
        return Change(operations: operations, removed: [removed])
    }
}
