/// Several journals that receive the same events.
struct CompositeJournal: ServerJournal {
    let journals: [any ServerJournal]

    func record(_ event: ServerEvent, operation: String?) {
        for journal in journals { journal.record(event, operation: operation) }
    }
}
