import LabKit
import TestSupport
import Testing

@Suite("Fields", .endsInTime)
struct FieldTests {
    private func field(_ name: String) throws -> FieldDeclaration {
        try #require(CommandDeclaration(Sample.self).field(named: name))
    }

    @Test("Fields are declared by their properties, in their order")
    func namesAndOrder() {
        #expect(Sample.fields.map(\.name) == ["text", "secret", "number", "word", "time", "extras"])
        #expect(Sample.fields.filter(\.isRequired).map(\.name) == ["text", "secret"])
    }

    @Test("The type of a property decides the type of its field")
    func types() throws {
        #expect(try field("text").type == .text)
        #expect(try field("secret").isSecret)
        #expect(try field("word").type == .choice(["first", "second"]))
        #expect(try field("time").type == .duration)
        #expect(try field("extras").type == .map)
        #expect(
            CommandDeclaration(Sample.self).result
                == .object([
                    try #require(Sample.Result.fields.first { $0.name == "list" }),
                    try #require(Sample.Result.fields.first { $0.name == "note" }),
                ]))
        #expect(Sample.Result.fields[0].memberType == .list(.object(Sample.Part.fields)))
        #expect(Sample.Result.fields[1].memberType == .optional(.text))
    }

    @Test("Default, unit, limit and meaning are declared with the property")
    func facts() throws {
        #expect(try field("number").defaultValue == 7)
        #expect(try field("number").unit == "bytes")
        #expect(try field("number").limit?.description == "1 to 100")
        #expect(try field("number").meaning == "Number.")
        #expect(try field("word").defaultValue == "first")
        #expect(try field("time").defaultValue == nil)
    }

    @Test("A limit accepts exactly its range")
    func limits() {
        #expect(Limit.between(1, 3).admits(3) && !Limit.between(1, 3).admits(4))
        #expect(Limit.atLeast(0).admits(0) && !Limit.atLeast(0).admits(-1))
        for share in [0.001, 1] as [JSONValue] { #expect(Limit.share.admits(share)) }
        for share in [0, -0.5, 1.001, 20] as [JSONValue] { #expect(!Limit.share.admits(share)) }
        #expect(Limit.length.admits("0s") && Limit.length.admits("2s") && !Limit.length.admits("-2s"))
        for amount in ["250.50", "1", "0", "1710.1"] as [JSONValue] { #expect(Limit.decimal.admits(amount)) }
        for amount in ["", "abc", "1.", ".5", "1.2.3", "-1", "1e3", "1,50", "1 "] as [JSONValue] {
            #expect(!Limit.decimal.admits(amount), "\(amount)")
        }
        #expect(Limit.currency.admits("EUR") && !Limit.currency.admits("EURO") && !Limit.currency.admits("E1R"))
    }

    @Test("A value is sent as the values of its fields; nil optionals are left out")
    func codedForm() throws {
        let command = Sample {
            $0.text = "0123"
            $0.secret = "s3cret"
            $0.time = .seconds(2)
        }
        let expected: JSONValue = ["text": "0123", "secret": "s3cret", "number": 7, "word": "first", "time": "2s"]
        #expect(try JSONValue(encoding: command) == expected)
        let read: Sample = try expected.decode()
        #expect(read.text == "0123")
        #expect(read.time == .seconds(2))
        #expect(read.extras == nil)
    }

    @Test("Copies are independent of each other")
    func valueSemantics() {
        let first = Sample { $0.number = 1 }
        var second = first
        second.number = 2
        #expect(first.number == 1)
    }

    @Test("A missing required argument is named")
    func missingArgument() {
        let error = #expect(throws: ControlError.self) { try Sample { $0.text = "x" }.arguments() }
        #expect(error?.name == "badArgument")
        #expect(error?.message == "`sample` needs `secret`.")
    }
}
