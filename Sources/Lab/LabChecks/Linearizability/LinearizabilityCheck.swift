// SPDX-License-Identifier: Apache-2.0

/// Whether the operations on an object fit one order: each takes effect at a moment between its start and its answer,
/// and every answer is right in the state that the operations before it have left (Herlihy and Wing, 1990).
///
/// The search is that of Wing and Gong (1993): depth first, over the operations that no other one precedes. It visits
/// each pair of ordered operations and state once (Lowe, 2017). Objects are independent, so each is checked by itself.
package struct LinearizabilityCheck: Sendable {
    /// What the search has found. Operations are given by their places in the list that was checked.
    package enum Verdict: Equatable, Sendable {
        /// There is an order.
        case linearizable
        /// There is no order.
        /// - Parameters:
        ///   - ordered: The longest beginning of an order, in its order: the one with the most known answers.
        ///   - blocked: The operations of which one would have to follow, and none can.
        case broken(ordered: [Int], blocked: [Int])
        /// The search has reached its limit without an order.
        /// - Parameter configurations: How many pairs of ordered operations and state it has visited.
        case undecided(configurations: Int)
    }

    /// How many pairs of ordered operations and state a search visits at most. An order without detours needs as many
    /// as there are operations; sixteen operations at one time have 65,536 sets.
    package static let mostConfigurations = 100_000

    private let limit: Int

    /// A check.
    /// - Parameter limit: How many pairs of ordered operations and state it visits at most.
    package init(limit: Int = LinearizabilityCheck.mostConfigurations) { self.limit = limit }

    /// Searches an order.
    /// - Parameters:
    ///   - operations: What has happened to one object, in any order.
    ///   - model: What the object does when operations come one after another.
    ///   - budget: To be spent from for each pair of ordered operations and state.
    /// - Throws: ``Budget/Exhausted`` when the budget is.
    package func verdict<Model: SequentialModel>(
        on operations: [ConcurrentOperation<Model.Input, Model.Output>], of model: Model, _ budget: inout Budget
    ) throws(Budget.Exhausted) -> Verdict {
        var search = OrderSearch(operations, model: model)
        return try search.run(limit: limit, &budget)
    }
}

/// One search of an order.
private struct OrderSearch<Model: SequentialModel> {
    typealias Operation = ConcurrentOperation<Model.Input, Model.Output>

    /// What decides how a search can continue.
    struct Configuration: Hashable {
        var taken: OperationSet
        let state: Model.State
    }

    /// An operation of an order, and the step before it.
    struct Step {
        let operation: Int
        let previous: Int?
    }

    /// A way to continue.
    struct Move {
        let operation: Int
        let state: Model.State
    }

    /// A place of the search from which it continues, or returns.
    struct Frame {
        let taken: OperationSet
        /// How many known operations are ordered.
        let known: Int
        /// The last step; nil at the beginning.
        let step: Int?
        /// What is still to be tried, the most promising way last.
        var moves: [Move]
    }

    private let model: Model
    /// The places in the given list: first the known operations, then the unknown ones, each by their start.
    private let places: [Int]
    private let operations: [Operation]
    private let knownCount: Int
    /// When the known operations have taken effect at the latest.
    private let deadlines: [UInt64]

    private var visited: Set<Configuration> = []
    private var steps: [Step] = []
    /// The place of the search with the most known operations.
    private var farthest: Frame

    init(_ given: [Operation], model: Model) {
        func places(known: Bool) -> [Int] {
            given.indices.filter { given[$0].isKnown == known }
                .sorted { (given[$0].invoked, $0) < (given[$1].invoked, $1) }
        }
        let known = places(known: true)
        self.model = model
        self.places = known + places(known: false)
        operations = self.places.map { given[$0] }
        knownCount = known.count
        deadlines = known.map { max(given[$0].invoked, given[$0].completed ?? .max) }
        farthest = Frame(taken: OperationSet(), known: 0, step: nil, moves: [])
    }

    mutating func run(limit: Int, _ budget: inout Budget) throws(Budget.Exhausted) -> LinearizabilityCheck.Verdict {
        guard knownCount > 0 else { return .linearizable }
        farthest.moves = moves(after: farthest.taken, in: model.initial)
        var frames = [farthest]
        while let last = frames.indices.last {
            guard let move = frames[last].moves.popLast() else {
                frames.removeLast()
                continue
            }
            var configuration = Configuration(taken: frames[last].taken, state: move.state)
            configuration.taken.insert(move.operation)
            guard !visited.contains(configuration) else { continue }
            guard visited.count < limit else { return .undecided(configurations: limit) }
            try budget.spend()
            visited.insert(configuration)
            steps.append(Step(operation: move.operation, previous: frames[last].step))
            let known = frames[last].known + (move.operation < knownCount ? 1 : 0)
            guard known < knownCount else { return .linearizable }
            let frame = Frame(
                taken: configuration.taken, known: known, step: steps.count - 1,
                moves: moves(after: configuration.taken, in: move.state))
            if known > farthest.known { farthest = frame }
            frames.append(frame)
        }
        return broken
    }

    /// The verdict after all ways were tried.
    private var broken: LinearizabilityCheck.Verdict {
        var ordered: [Int] = []
        var step = farthest.step
        while let index = step {
            ordered.append(places[steps[index].operation])
            step = steps[index].previous
        }
        return .broken(ordered: ordered.reversed(), blocked: openKnown(after: farthest.taken).map { places[$0] })
    }

    /// The known operations that no other one, which is still to be ordered, precedes.
    private func openKnown(after taken: OperationSet) -> [Int] {
        var open: [Int] = []
        var firstDeadline = UInt64.max
        var index = taken.start
        while index < knownCount, operations[index].invoked <= firstDeadline {
            if !taken.contains(index) {
                open.append(index)
                firstDeadline = min(firstDeadline, deadlines[index])
            }
            index += 1
        }
        return open
    }

    /// The ways to continue, the most promising one last: the operation whose answer was there first.
    private func moves(after taken: OperationSet, in state: Model.State) -> [Move] {
        let open = openKnown(after: taken)
        // Where it fits now, it fits in every order that has it later, and no operation after it can tell.
        if let observation = open.first(where: { isObserved($0, in: state) }) {
            return [Move(operation: observation, state: state)]
        }
        let known = open.sorted { (deadlines[$0], $0) > (deadlines[$1], $1) }
        let firstDeadline = known.last.map { deadlines[$0] } ?? .max
        let unknown = operations.indices[knownCount...].filter {
            operations[$0].invoked <= firstDeadline && !taken.contains($0)
        }
        // An unknown operation without an effect may as well never happen.
        let unknownMoves = unknown.flatMap { moves(by: $0, in: state) }.filter { $0.state != state }
        return unknownMoves + known.flatMap { moves(by: $0, in: state) }
    }

    private func isObserved(_ operation: Int, in state: Model.State) -> Bool {
        model.isObservation(operations[operation].input) && !moves(by: operation, in: state).isEmpty
    }

    private func moves(by operation: Int, in state: Model.State) -> [Move] {
        let (input, output) = (operations[operation].input, operations[operation].output)
        return model.step(state, input, output).map { Move(operation: operation, state: $0) }
    }
}

/// A set of places in a list, as bits.
///
/// A search takes operations almost in the order of the list. So the words at the front are soon full, and are counted
/// instead of stored: the set of the first thousands costs as much as an empty one.
struct OperationSet: Hashable {
    private var fullWords = 0
    /// The words after the full ones; the first one has a gap and the last one has a bit, so equal sets are equal.
    private var words: [UInt64] = []

    private static let width = UInt64.bitWidth

    /// Every place before this one is in the set.
    var start: Int { fullWords * Self.width }

    func contains(_ place: Int) -> Bool {
        let word = place / Self.width - fullWords
        if word < 0 { return true }
        return word < words.count && words[word] & Self.bit(place) != 0
    }

    mutating func insert(_ place: Int) {
        let word = place / Self.width - fullWords
        guard word >= 0 else { return }
        if word >= words.count { words += Array(repeating: 0, count: word + 1 - words.count) }
        words[word] |= Self.bit(place)
        let full = words.prefix { $0 == .max }.count
        words.removeFirst(full)
        fullWords += full
    }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place % width) }
}
