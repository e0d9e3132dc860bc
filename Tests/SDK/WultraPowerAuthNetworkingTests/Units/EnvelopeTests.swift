// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

private struct Payload: Codable, Equatable {
    let value: String
}

@Suite("Envelopes of requests and answers (networking.md, sections 3.1, 3.2 and 16)", .endsInTime)
struct EnvelopeTests {
    /// A request with a member of its own.
    private final class NamedRequest: WPNRequestBase {
        private enum Key: CodingKey { case name }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("Ann", forKey: .name)
        }
    }

    /// An answer with a date beside the list.
    private final class TimedList: WPNResponseArray<Payload> {
        private enum Key: CodingKey { case currentTimestamp }
        let time: Date?

        required init(from decoder: any Decoder) throws {
            time = try decoder.container(keyedBy: Key.self).decodeIfPresent(Date.self, forKey: .currentTimestamp)
            try super.init(from: decoder)
        }
    }

    private func json(_ request: WPNRequestBase) throws -> String {
        String(decoding: try WPNDateCoding.makeEncoder().encode(request), as: UTF8.self)
    }

    private func decode<Response: Decodable>(_ type: Response.Type, _ json: String) throws -> Response {
        try WPNDateCoding.makeDecoder().decode(type, from: Data(json.utf8))
    }

    @Test(.verifies("networking.md", "B-5"))
    func `A request is an object with the key requestObject, or with what a subclass writes`() throws {
        #expect(try json(WPNRequestBase()) == "{}")
        #expect(try json(WPNRequest(Payload(value: "hello"))) == #"{"requestObject":{"value":"hello"}}"#)
        let emptied = WPNRequest(Payload(value: "hello"))
        emptied.requestObject = nil
        #expect(try json(emptied) == #"{"requestObject":null}"#)
        #expect(try json(NamedRequest()) == #"{"name":"Ann"}"#)
        #expect(try json(WPNRequest("a/b")) == #"{"requestObject":"a\/b"}"#)
        #expect(
            try json(WPNRequest(Date(timeIntervalSince1970: 1_676_032_242)))
                == #"{"requestObject":"2023-02-10T12:30:42Z"}"#)
    }

    @Test func `A request is read as it was written, by a server of the app's tests`() throws {
        func read(_ json: String) throws -> Payload? { try decode(WPNRequest<Payload>.self, json).requestObject }
        #expect(try read(json(WPNRequest(Payload(value: "hello")))) == Payload(value: "hello"))
        for json in [#"{"requestObject":null}"#, "{}"] { #expect(try read(json) == nil, "\(json)") }
        for json in ["7", "[]", #"{"requestObject":7}"#, #"{"requestObject":{}}"#] {
            #expect(throws: (any Error).self, "\(json)") { try read(json) }
        }
        let optional = WPNRequest<Payload?>(nil)
        #expect(try (decode(WPNRequest<Payload?>.self, json(optional)).requestObject ?? nil) == nil)
        #expect(try json(decode(WPNRequestBase.self, json(WPNRequestBase()))) == "{}")
        #expect(throws: (any Error).self) { try decode(WPNRequestBase.self, "7") }
    }

    @Test func `A request whose payload can be written only is not read, and the error names the type`() throws {
        struct Written: Encodable { let value: String }
        let text = try json(WPNRequest(Written(value: "hello")))
        #expect(text == #"{"requestObject":{"value":"hello"}}"#)
        let error = #expect(throws: DecodingError.self) { try decode(WPNRequest<Written>.self, text) }
        #expect(error.map { "\($0)" }?.contains("Written") == true)
    }

    @Test(.verifies("networking.md", "B-6")) func `A successful answer has the payload and no error`() throws {
        let answer = try decode(
            WPNResponse<Payload>.self, #"{"status":"OK","responseObject":{"value":"hello"},"other":[1]}"#)
        #expect(answer.status == .Ok)
        #expect(answer.responseObject == Payload(value: "hello"))
        #expect(answer.responseError == nil)
        for json in [#"{"status":"OK"}"#, #"{"status":"OK","responseObject":7}"#] {
            #expect(try decode(WPNResponseBase.self, json).status == .Ok, "a base answer has no payload")
        }
        let optional = try decode(WPNResponse<Payload?>.self, #"{"status":"OK","responseObject":null}"#)
        #expect(optional.status == .Ok, "a payload that may be missing may be null")
        let missing = try decode(WPNResponse<Payload?>.self, #"{"status":"OK"}"#)
        #expect(missing.status == .Ok && (missing.responseObject ?? nil) == nil, "and it may be missing")
    }

    @Test(.verifies("networking.md", "B-7"), arguments: [0, 1, 2])
    func `An error answer has the server's code and no payload`(kind: Int) throws {
        let json = #"{"status":"ERROR","responseObject":{"code":"INVALID_REQUEST","message":"Bad request","more":1}}"#
        let answer: WPNResponseBase
        switch kind {
        case 0: answer = try decode(WPNResponseBase.self, json)
        case 1:
            let single = try decode(WPNResponse<Payload>.self, json)
            #expect(single.responseObject == nil)
            answer = single
        default:
            let list = try decode(WPNResponseArray<Payload>.self, json)
            #expect(list.responseObject == nil)
            answer = list
        }
        #expect(answer.status == .Error)
        #expect(answer.responseError?.code == "INVALID_REQUEST" && answer.responseError?.message == "Bad request")
        #expect(answer.responseError?.errorCode == .invalidRequest)
    }

    @Test(.verifies("networking.md", "B-8"))
    func `A list keeps its order, and an answer may have more members than its envelope`() throws {
        let answer = try decode(
            TimedList.self,
            #"{"status":"OK","responseObject":[{"value":"a1"},{"value":"b2"}],"currentTimestamp":"2023-02-10T12:30:42+0000"}"#
        )
        #expect(answer.responseObject == [Payload(value: "a1"), Payload(value: "b2")])
        #expect(answer.time == Date(timeIntervalSince1970: 1_676_032_242))
        let empty = try decode(TimedList.self, #"{"status":"OK","responseObject":[]}"#)
        #expect(empty.responseObject == [] && empty.time == nil)
    }

    @Test(
        .verifies("networking.md", "B-8"),
        arguments: [
            "", "7", "[]", "null", "{}", "<html>", #"{"status":null}"#, #"{"status":1}"#, #"{"status":"ok"}"#,
            #"{"status":"DONE"}"#, #"{"status":"OK"}"#, #"{"status":"OK","responseObject":null}"#,
            #"{"status":"OK","responseObject":[]}"#, #"{"status":"OK","responseObject":{}}"#,
            #"{"status":"OK","responseObject":{"value":null}}"#, #"{"status":"OK","responseObject":{"value":1}}"#,
            #"{"status":"ERROR"}"#, #"{"status":"ERROR","responseObject":null}"#,
            #"{"status":"ERROR","responseObject":"text"}"#, #"{"status":"ERROR","responseObject":{}}"#,
            #"{"status":"ERROR","responseObject":{"code":"A"}}"#,
            #"{"status":"ERROR","responseObject":{"message":"A"}}"#,
            #"{"status":"ERROR","responseObject":{"code":null,"message":"A"}}"#,
            #"{"status":"ERROR","responseObject":{"code":"A","message":7}}"#,
        ])
    func `An answer with a missing, null, unknown or wrongly typed field is refused`(json: String) {
        #expect(throws: (any Error).self) { try decode(WPNResponse<Payload>.self, json) }
    }

    @Test(
        arguments: [
            #"{"status":"OK"}"#, #"{"status":"OK","responseObject":null}"#,
            #"{"status":"OK","responseObject":{"value":"a"}}"#, #"{"status":"OK","responseObject":[null]}"#,
            #"{"status":"OK","responseObject":[{"value":"a"},{}]}"#,
        ])
    func `A list that is missing or none is refused`(json: String) {
        #expect(throws: (any Error).self) { try decode(WPNResponseArray<Payload>.self, json) }
    }

    @Test(.verifies("networking.md", "B-8"))
    func `An error code unknown to the library stays readable as text`() throws {
        let answer = try decode(
            WPNResponseBase.self, #"{"status":"ERROR","responseObject":{"code":"ERR_RECOVERY","message":""}}"#)
        #expect(answer.responseError?.code == "ERR_RECOVERY" && answer.responseError?.errorCode == nil)
    }

    @Test(.verifies("networking.md", "B-9")) func `Every code of the specification is known by its own name`() throws {
        #expect(WPNRestApiError(code: "TOO_MANY_REQUESTS", message: "").errorCode == .tooManyRequests)
        let section = try Project.text(of: "docs/spec/networking.md")
            .components(separatedBy: "### 3.3 ")[1].components(separatedBy: "### 3.4 ")[0]
        var specified: [String: String] = [:]
        for match in section.matches(of: #/(?m)^\| `(\w+)`(?: \(sic\))? \| `(\w+)`/#) {
            specified[String(match.1)] = String(match.2)
        }
        let known = WPNKnownRestApiError.allCases.map { ("\($0)", $0.rawValue) }
        #expect(Dictionary(uniqueKeysWithValues: known) == specified)
    }
}

@Suite("Dates in JSON (networking.md, sections 3.5 and 16)", .endsInTime)
struct DateTests {
    private struct Dated: Decodable { let test: Date }

    private func decode(_ text: String) throws -> Date {
        try WPNDateCoding.makeDecoder().decode(Dated.self, from: Data(#"{"test":"\#(text)"}"#.utf8)).test
    }

    @Test(
        .verifies("networking.md", "B-14"),
        arguments: [
            ("2024-03-19T12:29:29.554668Z", 1_710_851_369.554), ("2023-12-06T07:54:06+0100", 1_701_845_646),
            ("2018-08-08T12:30:42+0000", 1_533_731_442), ("2023-02-10T12:30:42+0000", 1_676_032_242),
            ("2023-02-10T12:30:42Z", 1_676_032_242), ("2023-02-10T13:30:42+01:00", 1_676_032_242),
            ("2023-02-10T07:00:42-05:30", 1_676_032_242), ("2023-02-10T12:30:42.5Z", 1_676_032_242.5),
            ("2023-02-10T12:30:42.25Z", 1_676_032_242.25), ("2023-02-10T12:30:42.0009Z", 1_676_032_242),
            ("2023-02-10T12:30:42.12345Z", 1_676_032_242.123), ("2024-02-29T00:00:00Z", 1_709_164_800),
        ])
    func `Dates with an offset are read, with and without a fraction, to the millisecond`(
        text: String, seconds: TimeInterval
    ) throws {
        #expect(abs(try decode(text).timeIntervalSince1970 - seconds) < 0.000_5)
    }

    @Test(
        arguments: [
            "2024-03-19T12:29:29", "2024-03-19", "", "now", "2024-03-19 12:29:29Z", "2024-02-30T00:00:00Z",
            "2024-13-01T00:00:00Z", "2024-03-19T25:00:00Z", "24-03-19T12:29:29Z", "2024-03-19T12:29:29.Z",
        ])
    func `Other texts are not dates, and the error names them`(text: String) throws {
        let error = #expect(throws: WPNError.self) { try decode(text) }
        #expect(error?.reason == .network_invalidResponseObject)
        #expect(error?.nestedError?.localizedDescription.contains("'\(text)'") == true)
        #expect(throws: (any Error).self) {
            try WPNDateCoding.makeDecoder().decode(Dated.self, from: Data(#"{"test":1}"#.utf8))
        }
    }
}
