import LabKit

/// The course of a fault of the link: which of the messages that it is about it hits, one after the other.
///
/// What happens to the n-th message depends on the run's seed, on link, direction and fault, and on n: never on time, and
/// never on other messages. A value that decides and does nothing else.
struct LinkFaultCourse: Equatable, Sendable {
    /// A message that is hit.
    struct Hit: Equatable, Sendable {
        /// Number of the message among those that the fault is about, from 1.
        var ordinal: Int
        /// The seed's choice for the fault, from 0 to 1.
        var choice: Double
    }

    let fault: LinkFault
    /// How many messages the fault was about.
    private(set) var matched = 0
    /// How many it has hit.
    private(set) var fired = 0
    private let seed: UInt64
    private let link: String
    /// Losses in a row: whether the one before was of them.
    private var isInBurst = false

    init(_ fault: LinkFault, seed: UInt64, link: String) {
        self.fault = fault
        self.seed = seed
        self.link = link
    }

    /// The next message that the fault is about; nil when it passes unharmed.
    mutating func next() -> Hit? {
        matched += 1
        let aim = fault.aim
        let place = matched - aim.skip
        guard place > 0, fired < aim.times ?? .max else { return nil }
        guard place % aim.every == 0 else { return nil }
        var dice = SeedStream(seed: seed, link, fault.direction.rawValue, fault.id, String(matched))
        let draw = Double.random(in: 0..<1, using: &dice)
        guard isHit(by: draw) else { return nil }
        fired += 1
        return Hit(ordinal: matched, choice: Double.random(in: 0..<1, using: &dice))
    }

    /// Losses in bursts follow the model of Gilbert: a good state in which nothing is lost, and a bad one in which
    /// everything is. It is left so often that a burst has its length on average, and entered so often that the losses
    /// have their share.
    private mutating func isHit(by draw: Double) -> Bool {
        let chance = fault.aim.chance
        guard case .drop(let burst) = fault.effect, burst > 1, chance < 1 else { return draw < chance }
        let leaving = 1 / Double(burst)
        isInBurst = isInBurst ? draw >= leaving : draw < leaving * chance / (1 - chance)
        return isInBurst
    }
}
