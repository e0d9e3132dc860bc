import Synchronization

/// The places of those who wait for something that is done for few at a time: a queue that cannot grow for ever.
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
    /// - Returns: false when there is none.
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
