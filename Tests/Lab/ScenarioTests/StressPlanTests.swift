// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("The plan of a stress run", .endsInTime)
struct StressPlanTests {
    @Test func `The same seed gives the same plan, byte for byte; another seed or number of apps changes it`() {
        let text = StressPlan(seed: 7, processes: 3).text(calls: 200)
        #expect(text == StressPlan(seed: 7, processes: 3).text(calls: 200))
        #expect(text != StressPlan(seed: 8, processes: 3).text(calls: 200))
        #expect(!StressPlan(seed: 7, processes: 4).text(calls: 200).hasPrefix(text))
        #expect(
            StressPlan(seed: 7, processes: 2).text(calls: 7) == """
                app1
                  1  activate
                  2  tellWatch
                  3  knowledgeSignature
                  4  changePassword, killed at queueLock.released, pass 2
                  5  changePassword, killed at state.saved, pass 3
                  6  knowledgeSignature
                  7  tokenHeader accounts
                app2
                  1  activate
                  2  knowledgeSignature
                  3  biometrySignature
                  4  validActivation
                  5  validActivation
                  6  biometrySignature
                  7  validActivation

                """)
    }

    @Test func `A longer list starts with the shorter one, and each app has its own`() {
        let plan = StressPlan(seed: 1, processes: 2)
        let calls = Array(plan.calls(of: "app1").prefix(500))
        #expect(Array(plan.calls(of: "app1").prefix(50)) == Array(calls.prefix(50)))
        #expect(calls.map(\.number) == Array(1...500))
        #expect(Array(plan.calls(of: "app2").prefix(500)) != calls)
    }

    @Test func `All actions, all points of each action, and kills and suspensions at any time are drawn`() {
        var drawn: [StressAction: Set<FaultPoint>] = [:]
        var faults: [StressPlan.Fault] = []
        for call in StressPlan(seed: 1, processes: 4).calls(of: "app1").prefix(40_000) {
            drawn[call.action, default: []].formUnion([])
            guard let fault = call.fault else { continue }
            faults.append(fault)
            if case .killAt(let point, _) = fault { drawn[call.action, default: []].insert(point) }
        }
        for action in StressAction.allCases { #expect(drawn[action] == Set(action.faultPoints), "\(action)") }
        #expect((2_000...6_000).contains(faults.count))
        #expect(faults.contains { if case .killAfter = $0 { true } else { false } })
        #expect(faults.contains { if case .suspendAfter = $0 { true } else { false } })
        #expect(faults.contains { if case .holdAt = $0 { true } else { false } })
    }

    @Test func `Only token calls name a token; every list starts with an activation without a fault`() {
        for app in ["app1", "app2"] {
            let calls = Array(StressPlan(seed: 3, processes: 2).calls(of: app).prefix(1_000))
            #expect(calls.allSatisfy { ($0.token != nil) == $0.action.hasToken })
            #expect(calls[0].action == .activate)
            #expect(calls[0].fault == nil)
        }
    }

    @Test func `Only server requests pass the request points, and only signatures pass the queue points`() {
        let asking: Set<StressAction> = [
            .activate, .status, .knowledgeSignature, .biometrySignature, .requestToken, .removeToken, .changePassword,
            .addBiometry, .removeActivation, .replace,
        ]
        for action in StressAction.allCases {
            let points = Set(action.faultPoints)
            #expect(points.contains(.httpRequestSent) == asking.contains(action), "\(action)")
            #expect(points.contains(.httpResponseReceived) == asking.contains(action), "\(action)")
            let signs = asking.contains(action) && ![.activate, .replace].contains(action)
            #expect(points.contains(.queueLockTaken) == signs, "\(action)")
            #expect(points.contains(.operationStarted) == [.activate, .status].contains(action), "\(action)")
            #expect(points.contains(.statusLockTaken) == (action != .relaunch), "\(action)")
            #expect(points.count == action.faultPoints.count, "\(action)")
        }
    }

    @Test func `Points at which a plan kills can kill, and apps pass them`() {
        #expect(StressAction.allFaultPoints.allSatisfy { $0.actions.contains(.kill) && $0.owners.contains(.app) })
    }

    @Test func `A long run has rounds of ten seconds and a rest`() throws {
        func rounds(_ text: String) throws -> [String] {
            let duration = try #require(LabDuration(text))
            return try StressConfiguration(processes: 2, duration: duration).rounds.map(\.description)
        }
        #expect(try rounds("10s") == ["10s"])
        #expect(try rounds("23s") == ["10s", "10s", "3s"])
    }

    @Test func `The apps of the topology share one activation and have distinct names`() throws {
        let configuration = try StressConfiguration(processes: 16, duration: .seconds(1), quirks: ["sharing.D7"])
        let topology = configuration.topology
        #expect(topology.apps.filter { $0.kind == .watchApp }.map(\.host) == ["app1"])
        let apps = topology.apps.filter { $0.kind == .app }
        #expect(apps.map(\.name) == (1...16).map { "app\($0)" })
        #expect(Set(apps.map(\.powerAuth.instanceId)).count == 1)
        #expect(Set(apps.compactMap(\.powerAuth.sharing?.appIdentifier)).count == 16)
        #expect(apps.allSatisfy { $0.quirks == ["sharing.D7"] })
    }

    @Test(
        .verifies("size", "StressConfiguration.processCounts"),
        arguments: Sizes.around(2) + Sizes.around(16))
    func `Two to sixteen apps take part`(count: Int) {
        let isTaken = (try? StressConfiguration(processes: count, duration: .seconds(1))) != nil
        #expect(isTaken == (2...16).contains(count))
    }

    @Test func `Impossible configurations are refused`() {
        for (processes, quirk) in [(1, "sharing.D7"), (17, "sharing.D7"), (4, "sharing.D77")] {
            #expect(throws: BadUsage.self) {
                try StressConfiguration(processes: processes, duration: .seconds(1), quirks: [quirk])
            }
        }
        for duration in [LabDuration.zero, .seconds(86_401)] {
            #expect(throws: BadUsage.self) { try StressConfiguration(processes: 2, duration: duration) }
        }
    }
}
