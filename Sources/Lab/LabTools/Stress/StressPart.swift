// SPDX-License-Identifier: Apache-2.0

import LabChecks
import ScenarioEngine

/// A finite part of a plan: some of its apps with some of their calls, which keep their numbers.
struct StressPart: Equatable {
    /// A call, and the app that makes it.
    struct AppCall: Equatable {
        let app: String
        let call: StressPlan.Call
    }

    /// The apps, in the order of the plan.
    private(set) var apps: [String]
    /// Their calls; those of one app in its order.
    private(set) var calls: [AppCall]

    /// The calls of an app.
    func calls(of app: String) -> [StressPlan.Call] { calls.filter { $0.app == app }.map(\.call) }

    /// Whether the watch takes part.
    var needsWatch: Bool {
        calls.contains { $0.app == StressConfiguration.appWithWatch && $0.call.action == .tellWatch }
    }

    // MARK: Smaller parts

    /// The part without the other apps.
    func keeping(apps kept: [String]) -> StressPart {
        var part = self
        part.apps = kept
        part.calls.removeAll { !kept.contains($0.app) }
        return part
    }

    /// The places of the calls that can be left out: all but the first call of an app, which makes the activation.
    var removableCalls: [Int] { calls.indices.filter { calls[$0].call.number > 1 } }

    /// The part without the other calls.
    /// - Parameter kept: Places of removable calls.
    func keeping(calls kept: [Int]) -> StressPart {
        var part = self
        let lost = Set(removableCalls).subtracting(kept)
        part.calls = calls.indices.filter { !lost.contains($0) }.map { calls[$0] }
        return part
    }

    /// The places of the calls with a fault.
    var faultyCalls: [Int] { calls.indices.filter { calls[$0].call.fault != nil } }

    /// The part without the faults of the other calls.
    /// - Parameter kept: Places of calls.
    func keeping(faults kept: [Int]) -> StressPart {
        var part = self
        for place in faultyCalls where !kept.contains(place) {
            part.calls[place] = AppCall(app: calls[place].app, call: calls[place].call.withoutFault)
        }
        return part
    }

    // MARK: Texts

    /// `2 apps with 3 calls and 1 fault`.
    var summary: String {
        let faults = faultyCalls.count
        return FailureText.counted(apps.count, "app") + " with " + FailureText.counted(calls.count, "call")
            + (faults == 0 ? "" : " and " + FailureText.counted(faults, "fault"))
    }

    /// The calls of every app, a line each, as those of a plan.
    var text: String { apps.map { StressPlan.text(of: $0, calls(of: $0)) }.joined() }
}

extension StressPart {
    /// The calls of a round that were made, in the order of time.
    init(_ made: some Sequence<RecordedCall>, of plan: StressPlan) {
        let names = made.compactMap { call -> (app: String, number: Int)? in
            let words = call.operation.split(separator: "/")
            guard words.count == 2, let number = Int(words[1]), number > 0 else { return nil }
            return (String(words[0]), number)
        }
        let last = Dictionary(names.map { ($0.app, $0.number) }, uniquingKeysWith: max)
        let lists = Dictionary(
            uniqueKeysWithValues: plan.apps.map { ($0, Array(plan.calls(of: $0).prefix(last[$0] ?? 0))) })
        calls = names.compactMap { name in
            lists[name.app].map { AppCall(app: name.app, call: $0[name.number - 1]) }
        }
        apps = plan.apps.filter { last[$0] != nil }
    }
}

extension StressPlan.Call {
    /// The call, with no fault during it.
    fileprivate var withoutFault: StressPlan.Call {
        StressPlan.Call(number: number, action: action, token: token, fault: nil)
    }
}
