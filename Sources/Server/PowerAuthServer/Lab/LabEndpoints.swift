// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// `/lab/**`: clock, faults, traffic, audit, pushes, identities, snapshots and seeding.
struct LabEndpoints: Sendable {
    let context: ServiceContext
    let powers: TestControls
    let snapshots: SnapshotService

    private struct Clock: Encodable {
        /// Milliseconds of Unix time.
        let now: Int64
        let isAdjustable: Bool
    }

    private struct Advance: Decodable {
        /// Milliseconds.
        var advance: Int64
    }

    /// Ten years in milliseconds.
    private static let longestStep: Int64 = 315_360_000_000

    private struct Snapshot: Decodable { var name: String? }

    private struct SeedRequest: Decodable {
        var activations: [SeedService.Blueprint]?
        /// By user.
        var claims: [String: JSONValue]?
    }

    var endpoints: [Endpoint] {
        [
            .lab(
                "/lab/clock", methods: ["GET", "POST"], takes: Advance.self,
                limits: ["advance": ["minimum": 0, "maximum": .integer(Self.longestStep)]], answer: clock),
            .lab(
                "/lab/faults", methods: ["GET", "POST", "DELETE"], takes: TrafficFault.self,
                limits: TrafficFault.limits, answer: faults),
            .lab("/lab/faults/{id}", methods: ["DELETE"]) { request in
                powers.faults.remove(id: try request.identifier("id")?.text)
                return try .ok(["faults": powers.faults.all])
            },
            .lab("/lab/traffic", methods: ["GET", "DELETE"], answer: traffic),
            .lab(
                "/lab/snapshots", methods: ["GET", "POST"], takes: Snapshot.self,
                limits: ["": .having(["name"]), "name": ["pattern": "^[A-Za-z0-9_-]{1,64}$"]], answer: keepSnapshot),
            .lab("/lab/snapshots/{name}", methods: ["DELETE"]) { request in
                try snapshots.remove(request.parameters["name"])
                return try .ok(["snapshots": snapshots.names()])
            },
            .lab("/lab/snapshots/{name}/restore", methods: ["POST"]) { request in
                try snapshots.restore(request.parameters["name"])
                // The jobs wait for times of the replaced state.
                context.alarm.ring()
                return try .ok(EmptyEnvelope())
            },
            .lab("/lab/seed", methods: ["POST"], takes: SeedRequest.self, limits: SeedService.limits, answer: seed),
            .lab("/lab/audit", methods: ["GET"], answer: audit),
        ] + MobileTokenLabEndpoints(context: context).endpoints
            + LabIdentityEndpoints(provider: powers.identityProvider, clock: context.clock).endpoints
    }

    @Sendable private func clock(_ request: ServerRequest) throws -> ServerResponse {
        if request.method == "POST" {
            let step = try JSONBody.decode(Advance.self, from: request.body).advance
            guard let clock = context.clock as? any AdjustableServerClock else {
                throw ServiceError(.invalidRequest, "this server lives on the machine's clock, which stays as it is")
            }
            guard (0...Self.longestStep).contains(step) else {
                throw ServiceError(
                    .invalidRequest, "advance must be 0 to \(Self.longestStep) ms: lab time never runs back")
            }
            try clock.advance(milliseconds: step)
        }
        return try .ok(
            Clock(now: context.clock.now().milliseconds, isAdjustable: context.clock is any AdjustableServerClock))
    }

    @Sendable private func faults(_ request: ServerRequest) throws -> ServerResponse {
        switch request.method {
        case "POST": return try .ok(powers.faults.add(JSONBody.decode(TrafficFault.self, from: request.body)))
        case "DELETE":
            powers.faults.remove(id: nil)
            fallthrough
        default: return try .ok(["faults": powers.faults.all])
        }
    }

    @Sendable private func traffic(_ request: ServerRequest) throws -> ServerResponse {
        if request.method == "DELETE" { powers.traffic.clear() }
        let after = try QueryParameters(request.query)["after"].flatMap(Int.init) ?? 0
        return try .ok(["entries": powers.traffic.entries(after: after)])
    }

    @Sendable private func audit(_ request: ServerRequest) throws -> ServerResponse {
        let after = try QueryParameters(request.query)["after"].flatMap(Int64.init) ?? 0
        return try .ok(["entries": context.read { try AuditStore.entries($0, after: after) }])
    }

    @Sendable private func keepSnapshot(_ request: ServerRequest) throws -> ServerResponse {
        if request.method == "POST" { try snapshots.take(JSONBody.decode(Snapshot.self, from: request.body).name) }
        return try .ok(["snapshots": snapshots.names()])
    }

    @Sendable private func seed(_ request: ServerRequest) throws -> ServerResponse {
        let wanted = try JSONBody.decode(SeedRequest.self, from: request.body)
        for (userId, claims) in wanted.claims ?? [:] {
            try UserClaimsService(context: context).save(claims, userId: Identifier(userId, field: "claims"))
        }
        return try .ok(["activations": SeedService(context: context).seed(wanted.activations ?? [])])
    }
}
