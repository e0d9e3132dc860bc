import LabKit
import Synchronization

/// The fault rules of a running server. The first rule that matches a request and still has something to do wins.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class TrafficFaults: Sendable {
    /// A rule and how often it matched.
    struct Armed: Encodable, Sendable {
        let rule: TrafficFault
        var matched = 0
        var fired = 0
    }

    private struct State {
        var armed: [Armed] = []
        var nextId = 1
    }

    private let state = Mutex(State())

    /// The rules in the order of their arrival.
    var all: [Armed] { state.withLock { $0.armed } }

    /// Adds a rule; it replaces one with the same identifier.
    /// - Throws: `invalidRequest` for an invalid rule.
    func add(_ rule: TrafficFault) throws -> Armed {
        try rule.validate()
        return state.withLock { state in
            var rule = rule
            if rule.id == nil {
                rule.id = "fault-\(state.nextId)"
                state.nextId += 1
            }
            state.armed.removeAll { $0.rule.id == rule.id }
            state.armed.append(Armed(rule: rule))
            return Armed(rule: rule)
        }
    }

    /// Removes the rule with an identifier, or all of them.
    func remove(id: String?) {
        state.withLock { state in state.armed.removeAll { id == nil || $0.rule.id == id } }
    }

    /// Counts a request and finds out what goes wrong with it.
    func hit(method: String, path: String) -> TrafficFault? {
        hit { $0.matches(method: method, path: path) }
    }

    /// Counts a TLS connection and finds out which certificate it is shown; nil is the right one.
    func hitConnection() -> CertificateKind? {
        hit { $0.certificate != nil }?.certificate.flatMap(CertificateKind.init)
    }

    private func hit(where isAbout: (TrafficFault) -> Bool) -> TrafficFault? {
        state.withLock { state in
            for index in state.armed.indices where isAbout(state.armed[index].rule) {
                state.armed[index].matched += 1
                let armed = state.armed[index]
                let isSkipped = armed.matched <= armed.rule.skip ?? 0
                if isSkipped || armed.fired >= armed.rule.times ?? .max { continue }
                state.armed[index].fired += 1
                return armed.rule
            }
            return nil
        }
    }
}
