// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// How often and how late a message is tried, and when a target is left alone (server.md, section 16.4).
@Suite("Sizes of deliveries", .endsInTime)
struct CallbackSizeTests {
    @Test(
        .verifies(
            "size", "CallbackPolicy.backoffMultiplier", "CallbackPolicy.initialBackoff", "CallbackPolicy.maxAttempts",
            "CallbackPolicy.maxBackoff"), arguments: [1, 2, 3, 12])
    func `A message is tried as often as its callback says, with pauses up to the longest`(count: Int) async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([])
        try await fixture.run { client in
            try await client.createCallback(["maxAttempts": count])
            for _ in 1...2 {
                let (policy, before) = (CallbackPolicy(), target.requests.count)
                _ = try await client.initiate(["timestampActivationExpire": "2100-01-01T00:00:00Z"])
                var pause = Double(policy.initialBackoff)
                for attempt in 1...count {
                    let now = client.clock.now()
                    let due = try await target.runJobs(fixture)
                    #expect(target.requests.count - before == attempt)
                    guard attempt < count else { break }
                    let step = Int64(min(pause, Double(policy.maxBackoff)))
                    #expect(due == now.advanced(by: step), "after attempt \(attempt)")
                    client.clock.advance(milliseconds: step - 1)
                    _ = try await target.runJobs(fixture)
                    #expect(target.requests.count - before == attempt, "a millisecond early")
                    client.clock.advance(milliseconds: 1)
                    pause *= policy.backoffMultiplier
                }
                client.clock.advance(milliseconds: 600_000)
                _ = try await target.runJobs(fixture)
                #expect(target.requests.count - before == count, "none too many")
            }
        }
    }

    @Test(.verifies("size", "CallbackPolicy.failureThreshold", "CallbackPolicy.resetTimeout"), arguments: 1...4)
    func `As many failures in a row as the settings say open the circuit, and a success starts anew`(count: Int)
        async throws
    {
        let fixture = try ServerFixture {
            $0.policy.callbacks.failureThreshold = count
            $0.policy.callbacks.resetTimeout = 10_000
        }
        // One less than opens it, a success, and so many that it opens.
        let cycle = [Int](repeating: 500, count: count - 1) + [200] + [Int](repeating: 500, count: count)
        let target = CallbackTarget(cycle + [200] + cycle)
        try await fixture.run { client in
            try await client.createCallback()
            func tell() async throws {
                _ = try await client.initiate(["timestampActivationExpire": "2100-01-01T00:00:00Z"])
                _ = try await target.runJobs(fixture)
            }
            for round in 1...2 {
                for _ in cycle { try await tell() }
                let calls = round * cycle.count + round - 1
                #expect(target.requests.count == calls)
                // It is open: the next messages fail without a call, to the last moment of the pause.
                try await tell()
                client.clock.advance(milliseconds: 9_999)
                try await tell()
                #expect(target.requests.count == calls)
                client.clock.advance(milliseconds: 1)
                // The first call after the pause closes it.
                if round == 1 { try await tell() }
            }
        }
    }
}
