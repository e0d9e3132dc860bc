// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine

/// The agents are threads that come to a place when an app has asked them for something.
@Suite("Turns of the agents of devices", .endsInTime)
struct AgentTurnTests {
    /// Who says that a branch waits for an answer of a device.
    enum Waiter: CaseIterable {
        case app, runner, noOne
    }

    @Test(arguments: Waiter.allCases)
    func `An app that waits for its device is not enabled until the turn of the agent has brought the answer`(
        waiter: Waiter
    ) async throws {
        try await onThread {
            let players = try TurnPlayers("main", "companion", agents: ["phone", "watch"])
            let page = players.page
            let (asked, answer) = (OneShot<Void>(), OneShot<Void>())
            @Sendable func note(_ change: Int) {
                if waiter != .noOne { page.changeWaits(of: waiter == .app ? "main" : nil, by: change) }
            }
            players.play("main", "a") { [players] in
                page.changeWork(of: "phone", by: 1)
                note(1)
                asked.set()
                answer.wait()
                note(-1)
                page.arrive(at: "b", process: "main")
                players.done.add("main b")
            }
            players.play("companion", "x")
            players.serve("phone", at: "link.store", when: asked) { answer.set() }
            let plan = TurnPlayers.turns("main a", "phone link.store", "main b", "companion x")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil)
            #expect(choices.map(\.turn) == plan)
            #expect(players.done.all == ["main a", "phone link.store", "main b", "companion x"])
            #expect(
                choices.map(\.enabled) == [
                    TurnPlayers.turns("main a", "companion x"), TurnPlayers.turns("companion x", "phone link.store"),
                    TurnPlayers.turns("main b", "companion x"), TurnPlayers.turns("companion x"),
                ])
        }
    }

    @Test func `An agent that was given something is waited for, and holds nothing up while it is idle`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "companion", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            players.play("main", "a") { [players] in
                page.changeWork(of: "phone", by: 1)
                page.arrive(at: "b", process: "main")
                players.done.add("main b")
            }
            players.play("companion", "x")
            players.run("delay") { [players] in
                players.waitUntilHeld("main", at: "b")
                asked.set()
            }
            players.serve("phone", at: "link.sent", when: asked)
            let plan = TurnPlayers.turns("main a", "companion x", "phone link.sent", "main b")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(choices[1].enabled == TurnPlayers.turns("main b", "companion x", "phone link.sent"))
            #expect(choices[3].enabled == TurnPlayers.turns("main b"))
        }
    }

    @Test func `The turns end with the last branch, also while an agent is held`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            players.play("main", "a") { [players] in
                page.changeWork(of: "phone", by: 1)
                asked.set()
                players.waitUntilHeld("phone", at: "link.store")
            }
            players.serve("phone", at: "link.store", when: asked)
            let (choices, problem) = try players.schedule(.exact(TurnPlayers.turns("main a")))
            #expect(problem == nil && choices.map(\.turn) == TurnPlayers.turns("main a"))
        }
    }

    @Test func `With an agent the apps of its device die, and a branch of another device continues`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "companion", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            page.changeWork(of: "phone", by: 1)
            asked.set()
            players.serve("phone", at: "link.sent", when: asked)
            players.play("main", "a", "b")
            players.play("companion", "x") { [players] in
                // What a dead agent does not take holds nothing up.
                page.changeWork(of: "phone", by: 1)
                page.arrive(at: "y", process: "companion")
                players.done.add("companion y")
            }
            let death = Turn(process: "phone", place: "link.sent", dies: true)
            let plan = TurnPlayers.turns("main a") + [death] + TurnPlayers.turns("companion x", "companion y")
            let (choices, problem) = try players.schedule(.exact(plan), apps: ["phone": ["main"]])
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(players.done.all == ["main a", "phone dies", "main dies", "companion x", "companion y"])
            #expect(choices[1].enabled == TurnPlayers.turns("main b", "companion x", "phone link.sent") + [death])
            #expect(choices[2].enabled == TurnPlayers.turns("companion x"))
            // The next process of an agent or an app finds its slot free.
            #expect(page.place(of: "phone").place == .running && page.place(of: "main").place == .running)
        }
    }

    @Test func `A planned turn of an agent that is not held there is a problem`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", agents: ["phone"])
            players.play("main", "a", "b")
            let (_, problem) = try players.schedule(.exact(TurnPlayers.turns("main a", "phone link.sent")))
            let turn = Turn(process: "phone", place: "link.sent")
            #expect(problem == .notReached(turn, enabled: TurnPlayers.turns("main b")))
        }
    }

    @Test func `While a thread with news of the device is held, the branch of the app is waited for`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            players.play("main", "a") { [players] in
                page.changeWork(of: "main", by: 1)
                players.run("connection") {
                    TurnPage.Role.$current.withValue(.connection) {
                        page.arrive(at: "link.delivered", process: "main")
                        page.changeWork(of: "main", by: -1)
                    }
                }
                players.waitUntilHeld("main", at: "link.delivered")
                page.changeWork(of: "phone", by: 1)
                asked.set()
                page.arrive(at: "b", process: "main")
            }
            players.serve("phone", at: "link.store", when: asked)
            let plan = TurnPlayers.turns("main a", "main link.delivered", "main b")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(choices[1].enabled == TurnPlayers.turns("main link.delivered", "phone link.store"))
            #expect(choices[2].enabled == TurnPlayers.turns("main b", "phone link.store"))
        }
    }

    @Test func `An agent that never handles what it was given is a problem when its time is over`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", agents: ["phone"])
            let page = players.page
            players.play("main", "a", "b")
            page.changeWork(of: "phone", by: 1)
            let (_, problem) = try players.schedule(.beginning([]), bound: .milliseconds(500).stretched)
            let text = "something while it handles what other processes have given to it"
            #expect(problem == .outOfControl(process: "phone", waitsFor: text))
        }
    }
}
