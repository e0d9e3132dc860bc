import Synchronization

/// Limits the requests that wait for work done for few at a time: a bounded queue.
///
/// Thread rule: any thread.
final class RequestAdmission: Sendable {
    /// How many may wait, those included whose turn it is.
    let places: Int
    private let taken = Atomic(0)

    init(places: Int) {
        self.places = places
    }

    /// Takes a place.
    /// - Returns: false if all are taken.
    func enter() -> Bool {
        guard taken.add(1, ordering: .relaxed).newValue > places else { return true }
        leave()
        return false
    }

    /// Gives the place back.
    func leave() {
        taken.subtract(1, ordering: .relaxed)
    }
}
