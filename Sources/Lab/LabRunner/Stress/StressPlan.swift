import LabKit

/// The calls of the apps in a stress round, and the faults injected meanwhile.
///
/// A pure function of seed and configuration. How far an app gets in its list depends on timing; the list does not.
struct StressPlan {
    /// A call of the plan.
    struct Call: Equatable {
        /// Its index in the list of its app, from 1.
        let number: Int
        let action: StressAction
        /// The token it concerns; nil if none.
        let token: String?
        let fault: Fault?
    }

    /// A fault injected into an app during a call.
    enum Fault: Equatable {
        /// It is killed at a fault point.
        case killAt(FaultPoint, pass: Int)
        /// It is killed some time after the call has begun.
        case killAfter(LabDuration)
        /// It is delayed at a fault point.
        case holdAt(FaultPoint, for: LabDuration)
        /// It is suspended for some time, some time after the call has begun.
        case suspendAfter(LabDuration, for: LabDuration)
    }

    let seed: UInt64
    let processes: Int

    /// The endless list of an app's calls.
    ///
    /// - Parameter app: Its actor name.
    func calls(of app: String) -> some Sequence<Call> {
        var stream = SeedStream(seed: seed, "stress sharing", "\(processes)", app)
        return sequence(state: 0) { number -> Call? in
            number += 1
            return Self.call(number, from: &stream)
        }
    }

    private static let tokens = ["accounts", "cards", "payments"]
    private static let weights = StressAction.allCases.map(\.weight)

    private static func call(_ number: Int, from stream: inout SeedStream) -> Call {
        // All begin with the same action, so that every run begins with a race.
        let action = number == 1 ? .activate : drawnAction(from: &stream)
        let token = tokens[stream.below(UInt64(tokens.count))]
        let fault = number == 1 ? nil : drawnFault(during: action, from: &stream)
        return Call(number: number, action: action, token: action.hasToken ? token : nil, fault: fault)
    }

    private static func drawnAction(from stream: inout SeedStream) -> StressAction {
        var drawn = UInt64(stream.below(weights.reduce(0, +)))
        for action in StressAction.allCases {
            if drawn < action.weight { return action }
            drawn -= action.weight
        }
        return .validActivation
    }

    /// Of a thousand calls, ten are hit by a kill at a random moment and ten by a suspension; of those whose answer
    /// changes the activation, many are held while other apps act.
    private static func drawnFault(during action: StressAction, from stream: inout SeedStream) -> Fault? {
        let points = action.faultPoints
        let drawn = stream.below(1_000)
        let held = action.killsPerThousand + 20 + action.holdsPerThousand
        guard drawn < held, !points.isEmpty else { return nil }
        // Many calls are still running then.
        let moment = LabDuration(nanoseconds: Int64(stream.below(20_000)) * 1_000)
        if drawn < action.killsPerThousand {
            return .killAt(points[stream.below(UInt64(points.count))], pass: [1, 1, 1, 2, 2, 3][stream.below(6)])
        }
        if drawn < action.killsPerThousand + 10 { return .killAfter(moment) }
        if drawn >= action.killsPerThousand + 20 {
            return .holdAt(.httpResponseReceived, for: .milliseconds(50 + Int64(stream.below(200))))
        }
        return .suspendAfter(moment, for: .milliseconds(1 + Int64(stream.below(60))))
    }

    /// The first calls of every app, a line each.
    func text(calls count: Int) -> String {
        (1...processes).map { "app\($0)" }.map { app in
            "\(app)\n" + calls(of: app).prefix(count).map { "  \($0)\n" }.joined()
        }.joined()
    }
}

extension StressPlan.Call: CustomStringConvertible {
    var description: String {
        var line = "\(number)  \(action.rawValue)"
        if let token { line += " \(token)" }
        if let fault { line += ", \(fault)" }
        return line
    }
}

extension StressPlan.Fault: CustomStringConvertible {
    var description: String {
        switch self {
        case .killAt(let point, let pass): "killed at \(point), pass \(pass)"
        case .holdAt(let point, let length): "held at \(point) for \(length)"
        case .killAfter(let moment): "killed after \(moment)"
        case .suspendAfter(let moment, let length): "suspended after \(moment) for \(length)"
        }
    }
}

extension SeedStream {
    /// A random number below a limit.
    fileprivate mutating func below(_ limit: UInt64) -> Int { Int(next() % limit) }
}
