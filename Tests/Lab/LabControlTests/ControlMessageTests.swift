// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LabControl
@testable import LabCore

@Suite("Messages of the control channel", .endsInTime)
struct ControlMessageTests {
    @Test func `A request is read as it was written, and each has a number of its own`() throws {
        let request = ControlRequest(command: "c", arguments: ["x": 1], actor: "a", operation: "o")
        let id = JSONValue.integer(Int64(bitPattern: request.id))
        #expect(request.json == ["id": id, "command": "c", "arguments": ["x": 1], "actor": "a", "operation": "o"])
        #expect(try ControlRequest(json: request.json) == request)
        let bare = ControlRequest(command: "c")
        #expect(bare.id > request.id)
        #expect(bare.json.objectValue?.keys.sorted() == ["arguments", "command", "id"])
        #expect(try ControlRequest(json: bare.json) == bare)
        let read = try ControlRequest(json: ["id": -1, "command": "c", "actor": nil, "operation": nil])
        #expect(read.id == .max && read.actor == nil && read.operation == nil && read.arguments == .object([:]))
    }

    @Test(
        arguments: [
            ([], "the message is not a JSON object"),
            (["command": "c"], "'id' must be an integer"),
            (["id": "1", "command": "c"], "'id' must be an integer"),
            (["id": 1.5, "command": "c"], "'id' must be an integer"),
            (["id": 1], "'command' must be a text"),
            (["id": 1, "command": 2], "'command' must be a text"),
            (["id": 1, "command": "c", "operation": 3], "'operation' must be a text"),
            (["id": 1, "command": "c", "actor": 3], "'actor' must be a text"),
            (["id": 1, "command": "c", "arguments": []], "'arguments' must be an object"),
            (["id": 1, "command": "c", "arguments": nil], "'arguments' must be an object"),
        ] as [(JSONValue, String)])
    func `A message that is no request is refused with the member at fault`(json: JSONValue, reason: String) {
        #expect(throws: ControlError(.badRequest, message: reason)) { try ControlRequest(json: json) }
    }

    @Test func `A reply is read as it was written, with a result or with an error`() throws {
        let error = ControlError(domain: "d", code: 3, name: "n", message: "m", userInfo: ["u": 4])
        let succeeded = ControlReply(id: 7, outcome: .success(["r": 1]), incarnation: 2, handlingNanoseconds: 5)
        #expect(succeeded.json == ["id": 7, "result": ["r": 1], "incarnation": 2, "handlingNanoseconds": 5])
        #expect(ControlReply(json: succeeded.json) == succeeded)
        #expect(try succeeded.get() == ["r": 1])
        let failed = ControlReply(id: .max, outcome: .failure(error), incarnation: nil, handlingNanoseconds: nil)
        #expect(
            failed.json == [
                "id": -1, "error": ["domain": "d", "code": 3, "name": "n", "message": "m", "userInfo": ["u": 4]],
            ])
        #expect(ControlReply(json: failed.json) == failed)
        #expect(throws: error) { try failed.get() }
    }

    @Test func `What a reply leaves out is empty; without a number it is no reply`() throws {
        let bare = try #require(ControlReply(json: ["id": 1]))
        #expect(bare.result == .null && bare.error == nil)
        #expect(bare.incarnation == nil && bare.handlingNanoseconds == nil)
        #expect(try bare.get() == .null)
        let failed = try #require(ControlReply(json: ["id": 1, "error": .object([:]), "handlingNanoseconds": -5]))
        #expect(failed.result == nil && failed.handlingNanoseconds == 0)
        #expect(failed.error == ControlError(domain: "lab", message: "the process named no reason"))
        for json in [["id": "1"], .object([:]), [1], nil] as [JSONValue] { #expect(ControlReply(json: json) == nil) }
    }

    @Test func `An error is named by its name, else by its code, else by its domain`() {
        let domain = "d"
        #expect("\(ControlError(domain: domain, code: 3, name: "n", message: "m"))" == "n: m")
        #expect("\(ControlError(domain: domain, code: 3, message: "m"))" == "d 3: m")
        #expect("\(ControlError(domain: domain, message: "m"))" == "d: m")
        #expect(ControlError(domain: "lab", message: "m").localizedDescription == "lab: m")
        let error = ControlError(domain: domain, code: 3, name: "n", message: "m", userInfo: ["u": 1])
        #expect(ControlError(json: error.json) == error)
        #expect(ControlError.failed(error) == error)
        #expect(ControlError.failed(CancellationError()).name == "failed")
    }

    @Test func `Only the lab's own errors mean that a process was silent or has died`() {
        for (domain, name, isUnanswered, isDeath) in [
            ("lab", "timedOut", true, false), ("lab", "peerDied", false, true), ("lab", "failed", false, false),
            ("NSURLErrorDomain", "timedOut", false, false), ("NSURLErrorDomain", "peerDied", false, false),
        ] {
            let error = ControlError(domain: domain, name: name, message: "")
            #expect(error.isUnanswered == isUnanswered && error.isDeath == isDeath, "\(domain) \(name)")
            #expect(error.labError == (domain == "lab" ? LabErrorName(rawValue: name) : nil), "\(domain) \(name)")
        }
        #expect(ControlError.device(.wrongState, "").labError == .wrongState)
        #expect(ControlError(domain: "lab", name: "wrongPIN", message: "").labError == nil)
        #expect(ControlError.labDomain == "lab" && ControlError.urlLoadingDomain == "NSURLErrorDomain")
    }

    @Test func `An unknown command is answered with the nearest known one, if there is any`() {
        let error = ControlError.unknownCommand("pnig", known: ["ping", "arm"])
        #expect(error.name == "unknownCommand")
        #expect(error.message == "there is no command 'pnig' here; did you mean 'ping'?")
        #expect(ControlError.unknownCommand("zebra").message == "there is no command 'zebra' here")
    }

    @Test func `A farewell has the taken requests; its confirmation and other messages are none`() throws {
        let farewell = Farewell(taken: [3, .max, 1])
        #expect(farewell.json == ["bye": true, "taken": [1, 3, -1]])
        #expect(Farewell(json: farewell.json)?.taken == [1, 3, .max])
        #expect(Farewell(json: ["bye": true, "taken": [2, "x", 2.5]])?.taken == [2])
        #expect(Farewell(json: ["bye": true, "taken": []])?.taken == [])
        let confirmation = try JSONValue.parse(Farewell.confirmation)
        let others: [JSONValue] = [
            confirmation, ["taken": []], ["bye": false, "taken": []], ["bye": true, "taken": 1], [1],
        ]
        for json in others {
            #expect(Farewell(json: json) == nil, "\(json)")
        }
    }

    @Test func `A welcome has the number of a process; a greeting and other messages have none`() throws {
        #expect(Greeting.welcome(pid: 7) == ["welcome": 7])
        #expect(Greeting.pid(in: Greeting.welcome(pid: Int32.max)) == Int32.max)
        let hello = try JSONValue.parse(Greeting.hello)
        #expect(hello == ["hello": true])
        for json in [hello, ["welcome": "7"], ["welcome": .integer(Int64(Int32.max) + 1)], 7] as [JSONValue] {
            #expect(Greeting.pid(in: json) == nil, "\(json)")
        }
    }

    @Test func `What messages travel through has a name and a version`() {
        #expect(ControlTransport.library.wholeMatch(of: /libzmq 4\.\d+\.\d+/) != nil)
    }
}
