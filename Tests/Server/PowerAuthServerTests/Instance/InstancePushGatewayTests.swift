// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The push service of an instance", .endsInTime)
struct InstancePushGatewayTests {
    private let notification = PushNotification(id: "1", payload: ["aps": ["alert": "Hello"]], kind: .alert)

    /// An instance with two phones and a watch; `body` gets its layout and a gateway.
    private func withInstance(_ body: (InstanceLayout, InstancePushGateway) throws -> Void) throws {
        func device(_ name: String, _ kind: DeviceSpec.Kind) -> DeviceSpec {
            DeviceSpec(name: name, kind: kind, team: "LABTEAM001", apps: [])
        }
        let topology = Topology(
            name: "push", devices: [device("phone", .phone), device("other", .phone), device("watch", .watch)])
        let test = try TestInstance(topology)
        defer { _ = try? test.instance.end() }
        try body(test.layout, InstancePushGateway(layout: test.layout, topology: topology))
    }

    private func agent(
        _ layout: InstanceLayout, _ device: String,
        answer: @escaping @Sendable (ControlRequest) -> Result<JSONValue, ControlError>
    ) throws -> ControlServer {
        try ControlServer(layout, .agent(device), incarnation: 1) { request, responder in
            responder.reply(answer(request))
        }
    }

    @Sendable private static func refuse(_ request: ControlRequest) -> Result<JSONValue, ControlError> {
        .failure(ControlError(domain: "device", name: "unknownDeviceToken", message: "not here"))
    }

    @Test func `The device that knows the token takes the notification with its identifier and payload`() throws {
        try withInstance { layout, gateway in
            let taken = Mutex<ControlRequest?>(nil)
            let agents = [
                try agent(layout, "phone", answer: Self.refuse),
                try agent(layout, "other") { request in
                    taken.withLock { $0 = request }
                    return .success(["id": "1", "isKept": false])
                },
            ]
            defer { for agent in agents { agent.stop() } }
            #expect(gateway.send(notification, to: "abc", in: .development) == .accepted)
            let request = try #require(taken.withLock { $0 })
            #expect(request.command == "deliverPush" && request.actor == nil)
            #expect(
                request.arguments == [
                    "token": "abc", "id": "1", "payload": ["aps": ["alert": "Hello"]], "environment": "development",
                ])
        }
    }

    @Test func `A token is invalid when every phone says so`() throws {
        try withInstance { layout, gateway in
            let agents = try ["phone", "other"].map { try agent(layout, $0, answer: Self.refuse) }
            defer { for agent in agents { agent.stop() } }
            #expect(gateway.send(notification, to: "abc", in: .production) == .invalidToken)
        }
    }

    @Test func `The phone with the token reports a notification that is too long`() throws {
        try withInstance { layout, gateway in
            let agents = [
                try agent(layout, "phone", answer: Self.refuse),
                try agent(layout, "other") { _ in .failure(.badArgument("`payload` has 5000 bytes")) },
            ]
            defer { for agent in agents { agent.stop() } }
            #expect(gateway.send(notification, to: "abc", in: .production) == .payloadTooLarge)
        }
    }

    @Test func `The phone with the token reports that it is of the other push service`() throws {
        try withInstance { layout, gateway in
            let agents = [
                try agent(layout, "phone", answer: Self.refuse),
                try agent(layout, "other") { _ in .failure(.device(.badDeviceToken, "another service")) },
            ]
            defer { for agent in agents { agent.stop() } }
            #expect(gateway.send(notification, to: "abc", in: .production) == .badDeviceToken)
        }
    }

    @Test func `A token may be that of a phone which cannot take the notification`() throws {
        try withInstance { layout, gateway in
            let agents = [
                try agent(layout, "phone", answer: Self.refuse),
                try agent(layout, "other") { _ in .failure(ControlError(.failed, message: "disk error")) },
            ]
            defer { for agent in agents { agent.stop() } }
            #expect(gateway.send(notification, to: "abc", in: .production) == .unavailable)
        }
    }
}
