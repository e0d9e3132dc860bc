// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Values of another form than the described one: read as Jackson reads them, unless the server is strict
/// (server.md, section 2.3).
@Suite("Tolerant reading of requests", .endsInTime)
struct TolerantReadingTests {
    /// A field of each kind that requests have.
    private struct Sample: Decodable {
        struct Part: Decodable { var count: Int? }

        var text: String?
        var name: Identifier?
        var flag: Bool?
        @FalseWhenAbsent var wanted = false
        var number: LenientInteger?
        var count: Int?
        var wide: UInt64?
        var fraction: Double?
        var date: RequestedDate?
        var choice: EnumName<ActivationState>?
        var choices: [EnumName<SignatureType>]?
        var names: [Identifier]?
        var texts: [String: String?]?
        var key: Base64Field?
        var part: Part?
        var anything: [String: JSONValue]?
        var values: [JSONValue]?
    }

    /// A field in another form, and in the described one.
    private struct Form {
        let field: String
        let other: String
        let described: String

        init(_ field: String, _ other: String, _ described: String) {
            (self.field, self.other, self.described) = (field, other, described)
        }
    }

    private static let forms = plainForms + dateForms

    private static let plainForms = [
        Form("text", "5", #""5""#), Form("text", "-0", #""-0""#), Form("text", "100.00", #""100.00""#),
        Form("text", "1e5", #""1e5""#), Form("text", "true", #""true""#), Form("text", "false", #""false""#),
        Form("name", "7", #""7""#), Form("name", "true", #""true""#),
        Form("flag", #""true""#, "true"), Form("flag", #""True""#, "true"), Form("flag", #"" TRUE ""#, "true"),
        Form("flag", #""false""#, "false"), Form("flag", #""False""#, "false"), Form("flag", #""FALSE""#, "false"),
        Form("flag", "1", "true"), Form("flag", "-7", "true"), Form("flag", "0", "false"),
        Form("wanted", #""true""#, "true"), Form("wanted", "1", "true"),
        Form("number", #"" 5 ""#, "5"), Form("number", #""-5 ""#, "-5"),
        Form("count", #""5""#, "5"), Form("count", #""+5""#, "5"), Form("count", #"" -5 ""#, "-5"),
        Form("wide", #""18446744073709551615""#, "18446744073709551615"),
        Form("fraction", #""1.5""#, "1.5"), Form("fraction", #"" -2 ""#, "-2"),
        Form("choice", "0", #""CREATED""#), Form("choice", "4", #""REMOVED""#), Form("choice", #""2""#, #""ACTIVE""#),
        Form("choice", #"" ACTIVE ""#, #""ACTIVE""#),
        Form(
            "choices", #"[0,"POSSESSION_KNOWLEDGE","1",5]"#,
            #"["POSSESSION","POSSESSION_KNOWLEDGE","KNOWLEDGE","POSSESSION_KNOWLEDGE_BIOMETRY"]"#),
        Form("names", #"[1,"a",true]"#, #"["1","a","true"]"#),
        Form("texts", #"{"amount":100.00}"#, #"{"amount":"100.00"}"#),
        Form("key", "1234", #""1234""#), Form("part", #"{"count":"3"}"#, #"{"count":3}"#),
    ]

    /// The same moments in other forms, by the described one.
    private static let moments: [(described: String, others: [String])] = [
        ("2024-11-02T00:00:00Z", ["2024-11-02", " 2024-11-02 ", "2024-11-02T00:00"]),
        (
            "2024-11-02T09:15:27Z",
            [
                "2024-11-02T09:15:27", " 2024-11-02T09:15:27Z", "2024-11-02T10:15:27+01", "2024-11-02T02:15:27-07",
                "Sat, 02 Nov 2024 09:15:27 GMT", "Sat, 2 Nov 2024 09:15:27 UTC", "Sat, 02 Nov 2024 10:15:27 +0100",
                "Sat, 02 Nov 2024 04:15:27 EST", "Sat, 02 Nov 2024 05:15:27 EDT", "Sat, 02 Nov 2024 03:15:27 CST",
                "Sat, 02 Nov 2024 04:15:27 CDT", "Sat, 02 Nov 2024 02:15:27 MST", "Sat, 02 Nov 2024 03:15:27 MDT",
                "Sat, 02 Nov 2024 01:15:27 PST", "Sat, 02 Nov 2024 02:15:27 PDT",
            ]
        ),
        ("2024-11-02T09:15:27.482Z", ["2024-11-02T09:15:27.482"]),
        ("2024-11-02T09:15:00Z", ["2024-11-02T09:15", "2024-11-02T09:15Z"]),
    ]

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static var dateForms: [Form] {
        func form(_ other: String, _ described: String) -> Form { Form("date", "\"\(other)\"", "\"\(described)\"") }
        let ofMonths = months.enumerated().map { index, month in
            let number = index < 9 ? "0\(index + 1)" : "\(index + 1)"
            return form("Mon, 28 \(month) 2024 00:00:00 GMT", "2024-\(number)-28T00:00:00Z")
        }
        return ofMonths + moments.flatMap { moment in moment.others.map { form($0, moment.described) } }
    }

    private func read(_ field: String, _ value: String, _ reading: JSONReading) throws -> String {
        "\(try JSONBody.decode(Sample.self, from: Data("{\"\(field)\":\(value)}".utf8), reading))"
    }

    @Test func `Each form is read as the described one by a tolerant server, and by no strict one`() throws {
        for form in Self.forms {
            let described = try read(form.field, form.described, .strict)
            #expect(try read(form.field, form.described, .tolerant) == described, "\(form.field) \(form.described)")
            #expect(try read(form.field, form.other, .tolerant) == described, "\(form.field) \(form.other)")
            #expect(try read("none", "1", .strict) != described, "\(form.field) says nothing")
            #expect(throws: DecodingError.self, "\(form.field) \(form.other)") {
                try read(form.field, form.other, .strict)
            }
        }
    }

    private static let refused: [(field: String, values: [String])] = [
        ("text", ["[]", "{}", #"["a"]"#]), ("name", ["[]", "{}"]),
        ("flag", [#""yes""#, #""1""#, #""tRUE""#, #""""#, "1.5", "[]"]), ("wanted", [#""on""#, "1.5"]),
        ("number", ["1.5", "true", #""""#, #""5x""#, "[]"]),
        ("count", ["1.5", "true", #""""#, #"" ""#, #""1.5""#, #""0x10""#, #""1e2""#, "[]", "9223372036854775808"]),
        ("wide", ["-1", #""-1""#, #""18446744073709551616""#]),
        ("fraction", [#""""#, #""nan""#, #""inf""#, #""0x1p3""#, "true"]),
        (
            "date",
            [
                #""""#, #""soon""#, "1.5", "true", "[]", #""2024-02-31""#, #""2024-13-01""#, #""2024-11-02 09:15:27""#,
                #""2024-11-02T24:00""#, #""2024-11-02Z""#, #""2024-11""#, #""Sat, 31 Feb 2024 09:15:27 GMT""#,
                #""Day, 02 Nov 2024 09:15:27 GMT""#, #""Sat, 02 Non 2024 09:15:27 GMT""#,
                #""Sat, 02 Nov 2024 09:15:27 XYZ""#, #""Sat, 02 Nov 2024 09:15:27""#, #""Sat, 02 Nov 24 09:15:27 GMT""#,
                #""Sat, 02 Nov 2024 9:15:27 GMT""#,
            ]
        ),
        ("choice", ["5", "-1", #""5""#, #""+1""#, #""-0""#, #""active""#, #""""#, "1.5", "1e0", "true", "[]"]),
        ("choices", ["[6]", "[[]]", "{}", #""POSSESSION""#]), ("names", ["[[]]", "[null]", "7"]),
        ("texts", [#"{"a":{}}"#, #"{"a":[]}"#, "[]"]), ("part", ["[]", "7", #"{"count":"x"}"#]),
        ("anything", ["[]", "7"]), ("values", ["{}", #""a""#]),
    ]

    @Test(arguments: [JSONReading.tolerant, .strict])
    func `A value without meaning for its field is refused in both settings`(reading: JSONReading) {
        for (field, values) in Self.refused {
            for value in values {
                #expect(throws: DecodingError.self, "\(field) \(value)") { try read(field, value, reading) }
            }
        }
    }

    @Test func `Values that may be anything stay what they are beside a value of another form`() throws {
        let anything = #"{"a":"true","b":"5","c":5,"d":1.5,"e":[true,null]}"#
        let text = #"{"count":"5","anything":\#(anything),"values":["1",2,{"f":"0"}]}"#
        let sample = try JSONBody.decode(Sample.self, from: Data(text.utf8), .tolerant)
        #expect(sample.count == 5)
        #expect(sample.anything == ["a": "true", "b": "5", "c": 5, "d": 1.5, "e": [true, nil]])
        #expect(sample.values == ["1", 2, ["f": "0"]])
    }

    @Test func `A null is nothing, and of a member that comes twice the first one counts, in both settings`() throws {
        let text = #"{"count":1,"count":2,"text":null,"flag":true,"texts":{"a":null}}"#
        let strict = try JSONBody.decode(Sample.self, from: Data(text.utf8), .strict)
        let other = text.replacing("true", with: #""true""#)
        let tolerant = try JSONBody.decode(Sample.self, from: Data(other.utf8), .tolerant)
        #expect("\(strict)" == "\(tolerant)" && tolerant.text == nil && tolerant.texts?["a"] == .some(nil))
    }

    @Test func `A refusal names the place of what cannot be read, and not of what can`() throws {
        for (text, place) in [
            (#"{"text":5,"part":{"count":[]}}"#, "part.count"), (#"{"text":5,"choices":[0,9]}"#, "choices.[1]"),
            (#"{"text":5,"date":"soon"}"#, "date"), (#"{"text":5,"texts":{"b":{}}}"#, "texts.b"),
        ] {
            let error = #expect(throws: DecodingError.self) {
                try JSONBody.decode(Sample.self, from: Data(text.utf8), .tolerant)
            }
            #expect(error?.sentence.hasPrefix(place) == true, "\(error?.sentence ?? "")")
        }
    }

    @Test(.verifies("size", "WrittenJSON.longestNumber"))
    func `Values of other forms have as many levels as JSON of the lab, and numbers the length that Jackson takes`() {
        for count in Sizes.around(128) {
            let lists = String(repeating: "[", count: count) + String(repeating: "]", count: count)
            #expect((WrittenJSON(Data(lists.utf8)) != nil) == (count <= 128), "\(count)")
            // The next list begins at the top again.
            let inner = lists.dropFirst().dropLast()
            let twice = WrittenJSON(Data("[\(inner),\(inner)]".utf8))
            #expect((twice != nil) == (count <= 128), "\(count)")
        }
        for length in [WrittenJSON.longestNumber - 1, WrittenJSON.longestNumber, WrittenJSON.longestNumber + 1] {
            let number = "0." + String(repeating: "1", count: length - 2)
            #expect((WrittenJSON(Data(number.utf8)) != nil) == (length <= WrittenJSON.longestNumber), "\(length)")
        }
    }

    @Test(
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1,}"#, #"{a:1}"#, #"""#,
            #""\"#, #""\x""#, #""\ud800""#, "01", "+1", "1.", ".5", "1e", "--1", "0x1", "NaN", "nul", "truefalse",
            "1 2", "[]]", "1e999",
        ])
    func `What is no JSON has no value of another form either`(text: String) {
        #expect(WrittenJSON(Data(text.utf8)) == nil)
    }

    // MARK: Resources

    /// The value of a field in another form; nil for a field that is neither a truth value nor a choice.
    private static func otherForm(of value: (any Sendable)?, _ schema: JSONValue) -> (any Sendable)? {
        if schema["type"] == "boolean", let flag = value as? Bool { return flag ? "True" : "false" }
        guard let choices = schema["enum"]?.arrayValue, let word = value as? String else { return nil }
        return choices.firstIndex(of: .string(word)).map { $0 as any Sendable }
    }

    @Test(arguments: [false, true])
    func `Every truth value and every choice of the back office has other forms, unless the server is strict`(
        isStrict: Bool
    ) async throws {
        try await World.run({ $0.policy.isJSONStrict = isStrict }) { world in
            var count = 0
            for table in EndpointTable.all {
                let endpoint = try #require(
                    world.fixture.server.services.endpoints.first { $0.path == "/rest/v3\(table.path)" })
                let described = endpoint.bodies?.request.map { JSONSchema.of($0)["properties"]?.objectValue ?? [:] }
                let schemas = (described ?? [:]).mapValues(JSONSchema.present)
                for (name, schema) in schemas where schema["type"] == "boolean" || schema["enum"] != nil {
                    let sample = try await table.sample(world)
                    guard let other = Self.otherForm(of: sample[name], schema) else { continue }
                    count += 1
                    let answer = try await world.client.backOffice(
                        String(table.path.dropFirst()), sample.merging([name: other]) { $1 })
                    let place: Comment = "\(table.path) \(name): \(String(decoding: answer.body, as: UTF8.self))"
                    #expect(answer.status == (isStrict ? 400 : 200), place)
                    if isStrict { #expect(answer.code == "ERROR_HTTP_REQUEST", place) }
                }
            }
            #expect(count > 10)
        }
    }

    @Test(arguments: [false, true])
    func `A number is signed as it was written, on every surface that takes requests of tools`(
        isStrict: Bool
    ) async throws {
        let fixture = try ServerFixture.mobileToken { $0.policy.isJSONStrict = isStrict }
        try await fixture.run { client in
            _ = try await client.createTemplate("amounts", data: "A1*A${amount}EUR")
            let request = #"{"applications":["lab"],"templateName":"amounts","parameters":{"amount":100.00}}"#
            let created = try await client.send(
                "/rest/v3/operation/create", body: Data(#"{"requestObject":\#(request)}"#.utf8))
            #expect(created.status == (isStrict ? 400 : 200))
            #expect(created.text("data") == (isStrict ? nil : "A1*A100.00EUR"))
            let registered = try await client.send("/v2/registrations", body: Data(#"{"userId":7}"#.utf8))
            #expect(registered.status == (isStrict ? 400 : 200))
            let app = try await client.mobileApp()
            let page = try await app.ask("/api/inbox/message/list", ["page": "0", "size": "5", "onlyUnread": "true"])
            #expect(page.status == (isStrict ? 500 : 200))
        }
    }
}
