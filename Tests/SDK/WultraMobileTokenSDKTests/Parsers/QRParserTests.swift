// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Codes for approval without a connection (mobile-token.md, section 9)", .endsInTime)
struct QRParserTests {
    /// A payload with parts of the test's own.
    static func payload(
        id: String = "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6", title: String = "Payment", message: String = "Check it",
        data: String = "A1*A100CZK*ICZ2730300000001165254011*D20180425*TText", flags: String = "BCFX",
        extra: [String] = [], nonce: String = Example.nonce, key: String = "1",
        signature: String = Data(repeating: 7, count: 70).base64EncodedString()
    ) -> String {
        ([id, title, message, data, flags] + extra + [nonce, key + signature]).joined(separator: "\n")
    }

    private func parse(_ text: String) throws -> WMTQROperation { try WMTQROperationParser().parse(string: text).get() }

    private func error(_ text: String) -> WMTQROperationParserError? {
        if case .failure(let error) = WMTQROperationParser().parse(string: text) { error } else { nil }
    }

    private func reason(_ text: String) -> WMTQROperationParserFailure.Reason? {
        if case .failure(let failure) = WMTQROperationParser().parseInDetail(string: text) {
            failure.reason
        } else {
            nil
        }
    }

    @Test func `A failure in detail states the error and the reason`() throws {
        guard case .failure(let failure) = WMTQROperationParser().parseInDetail(string: "a\nb")
        else { throw Unexpected("two lines are an operation") }
        #expect("\(failure)" == "\(failure.error): \(failure.reason)")
        #expect("\(failure)".hasPrefix("minimumAttributeFieldsRequired: tooFewLines(2"))
    }

    private func fields(_ data: String) throws -> [WMTQROperationData.Field] {
        try parse(Self.payload(data: data)).operationData.fields
    }

    @Test(.verifies("mobile-token.md", "B-21"))
    func `Seven lines are an operation with four fields and four flags`() throws {
        let operation = try parse(Self.payload())
        #expect(operation.operationId == "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6")
        #expect(operation.title == "Payment" && operation.message == "Check it" && operation.totp == nil)
        let flags = operation.flags
        #expect(flags.allowBiometryFactor && flags.flipButtons && flags.fraudWarning && flags.blockWhenOnCall)
        #expect(operation.signedData.last == UInt8(ascii: "1") && operation.signature.signingKey == .personalized)
        #expect(operation.operationData.version == .v1 && operation.operationData.templateId == 1)
        #expect(operation.operationData.fields.count == 4 && !operation.isNewerFormat)
        #expect(operation.operationData.sourceString == "A1*A100CZK*ICZ2730300000001165254011*D20180425*TText")
        #expect(WMTQROperationParser().parse(string: Self.payload()).isSuccess)
    }

    @Test(.verifies("mobile-token.md", "B-22")) func `An eighth line is the proximity code, and is signed`() throws {
        let operation = try parse(Self.payload(extra: ["12345678"]))
        #expect(operation.totp == "12345678" && !operation.isNewerFormat)
        #expect(String(decoding: operation.signedData, as: UTF8.self).contains("\n12345678\n"))
    }

    @Test(.verifies("mobile-token.md", "B-23"))
    func `More lines are a newer format, whose additions are signed and not understood`() throws {
        let operation = try parse(Self.payload(data: "B2*Xtest", extra: ["12345678", "more"]))
        #expect(operation.isNewerFormat && operation.operationData.version == .vX)
        #expect(operation.operationData.fields == [.fallback(text: "test", fieldType: "X")])
        #expect(String(decoding: operation.signedData, as: UTF8.self).contains("\nmore\n"))
    }

    @Test(.verifies("mobile-token.md", "B-24"))
    func `An operation needs an identifier, but neither title nor message`() throws {
        #expect(error(Self.payload(id: "")) == .noOperationId)
        let operation = try parse(Self.payload(title: "", message: ""))
        #expect(operation.title.isEmpty && operation.message.isEmpty)
    }

    @Test(
        .verifies("mobile-token.md", "B-25"),
        arguments: ["", "A", "2", "A100", "A-100"])
    func `Data without version and template are refused`(text: String) {
        #expect([.invalidVersionString, .invalidTemplateId].contains(error(Self.payload(data: text))))
    }

    @Test(.verifies("mobile-token.md", "B-26")) func `Missing flags are false, in any order`() throws {
        let none = try parse(Self.payload(flags: "")).flags
        #expect(none == QROperationFlags("") && !none.allowBiometryFactor && !none.blockWhenOnCall)
        let two = try parse(Self.payload(flags: "FX")).flags
        #expect(two.flipButtons && two.fraudWarning && !two.allowBiometryFactor && !two.blockWhenOnCall)
        #expect(try parse(Self.payload(flags: "XzF")).flags == two)
    }

    @Test(.verifies("mobile-token.md", "B-27")) func `Nonces, signatures and keys of a wrong form are refused`() {
        for count in [0, 3, 15, 17, 72] {
            #expect(error(Self.payload(nonce: Data(count: count).base64EncodedString())) == .invalidNonce, "\(count)")
        }
        for nonce in ["AAECAwQFBgcICQoLDA0ODw", " AAECAwQFBgcICQoLDA0ODw==", "AAECAwQFBgcICQoLDA0-_w=="] {
            #expect(error(Self.payload(nonce: nonce)) == .invalidNonce, "\(nonce)")
        }
        for count in [0, 3, 16, 63, 256] {
            let signature = Data(count: count).base64EncodedString()
            #expect(error(Self.payload(signature: signature)) == .invalidSignature, "\(count)")
        }
        for key in ["", "2", "X"] { #expect(error(Self.payload(key: key)) == .invalidSignature, "\(key)") }
        #expect(error(Self.payload(key: "", signature: "")) == .invalidSignature)
    }

    @Test(.verifies("mobile-token.md", "B-28"))
    func `Escapes of texts are resolved, but for the asterisk, which only data escape`() throws {
        let operation = try parse(Self.payload(title: #"Hi\nYou\\me"#, message: #"a \* b"#))
        #expect(operation.title == "Hi\nYou\\me" && operation.message == #"a \* b"#)
    }

    @Test(.verifies("mobile-token.md", "B-29")) func `Escapes of data are resolved in every kind of text`() throws {
        #expect(try fields(#"A1*Ta \* b"#) == [.text(text: "a * b")])
        #expect(try fields(#"A1*Nx\ny"#) == [.note(text: "x\ny")])
        #expect(try fields(#"A1*Xl\\r"#) == [.fallback(text: #"l\r"#, fieldType: "X")])
        #expect(try fields("A1*Qany*Rref") == [.anyAccount(account: "any"), .reference(text: "ref")])
    }

    @Test
    func `A backslash has one meaning, from left to right: it neither breaks the line behind it nor glues two fields`()
        throws
    {
        #expect(try parse(Self.payload(title: #"C:\\new"#)).title == #"C:\new"#)
        #expect(try fields(#"A1*Tdir\\*Nnote"#) == [.text(text: #"dir\"#), .note(text: "note")])
        #expect(try fields(#"A1*Tdir\\\*Nnote"#) == [.text(text: #"dir\*Nnote"#)])
        #expect(try fields(#"A1*Tend\"#) == [.text(text: #"end\"#)])
        #expect(try fields(#"A1*T\q"#) == [.text(text: #"\q"#)])
        #expect(try fields("A1*Ta*\u{301}b").count == 2)
    }

    @Test(
        .verifies("mobile-token.md", "B-30"),
        arguments: [
            ("A10CZK", "10", "CZK"), ("A10.25CZK", "10.25", "CZK"), ("A-10CZK", "-10", "CZK"), ("A+1eur", "1", "EUR"),
            ("A.325CZK", "0.325", "CZK"), ("A.CZK", "0", "CZK"), ("A-CZK", "0", "CZK"),
            ("A965165234082.23CZK", "965165234082.23", "CZK"),
            // As many digits as a decimal has, with and without a point.
            ("A12345678901234567890123456789012345678CZK", "12345678901234567890123456789012345678", "CZK"),
            ("A123456789012345678901234567890123456.78CZK", "123456789012345678901234567890123456.78", "CZK"),
            ("A1234567890123456789012345678901234567CZK", "1234567890123456789012345678901234567", "CZK"),
        ])
    func `Amounts are numbers with a currency`(text: String, amount: String, currency: String) throws {
        let expected = try #require(Decimal(string: amount))
        #expect(try fields("A1*" + text) == [.amount(amount: expected, currency: currency)])
    }

    @Test(
        .verifies("mobile-token.md", "B-30"),
        arguments: [
            "ACZK", "A", "A0", "AxCZK", "A1,500CZK", "A12xCZK", "A1e3CZK", "A1000", "A1.CZK", "A1.2.3CZK", "A--1CZK",
            "A1 CZK", "A١CZK", "A1CZ1", "A100000000000000000000000000000000000000.1CZK",
            "A123456789012345678901234567890123456789CZK",
        ])
    func `An invalid amount is refused, also with a valid beginning`(text: String) {
        #expect(error(Self.payload(data: "A1*" + text)) == .tooManyDataFields)
        #expect(reason(Self.payload(data: "A1*" + text)) == .malformedAmount(String(text.dropFirst())))
    }

    @Test(.verifies("mobile-token.md", "B-31"))
    func `Accounts are an IBAN with or without the code of a bank`() throws {
        #expect(try fields("A1*IABC1,BIC") == [.account(iban: "ABC1", bic: "BIC")])
        #expect(try fields("A1*IABC") == [.account(iban: "ABC", bic: nil)])
        #expect(try fields("A1*IABC,") == [.account(iban: "ABC", bic: nil)])
        for text in ["", "abc", "ABC,bic", ",BIC", "A,,B", "A,B,C", "AB C"] {
            #expect(reason(Self.payload(data: "A1*I" + text)) == .malformedAccount(text), "\(text)")
            #expect(error(Self.payload(data: "A1*I" + text)) == .tooManyDataFields)
        }
    }

    @Test(.verifies("mobile-token.md", "B-32")) func `Dates are days of the calendar`() throws {
        let field = try #require(try fields("A1*D20301224").first)
        let plain = try #require(field.plainDate)
        #expect(plain.year == 2030 && plain.month == 12 && plain.day == 24)
        #expect(try fields("A1*D20240229").count == 1)
        for text in ["", "0", "2004", "20189999", "20230229", "2030122", "203012240", "2030-2-4"] {
            #expect(reason(Self.payload(data: "A1*D" + text)) == .malformedDate(text), "\(text)")
            #expect(error(Self.payload(data: "A1*D" + text)) == .tooManyDataFields)
        }
        #expect(WMTQROperationData.Field.empty.plainDate == nil)
    }

    @Test(.verifies("mobile-token.md", "B-33")) func `Fields may be left out`() throws {
        #expect(
            try fields("A1*A10CZK****Ttest") == [
                .amount(amount: 10, currency: "CZK"), .empty, .empty, .empty, .text(text: "test"),
            ])
        #expect(try fields("A0").isEmpty)
        #expect(try fields("A0*") == [.empty])
    }

    @Test(.verifies("size", "QRFieldReader.maximum"))
    func `Each mistake has a reason of its own, and the first one is reported`() {
        #expect(reason("a\nb") == .tooFewLines(2))
        #expect(reason(Self.payload().replacing("\n", with: "\r\n")) == .tooFewLines(1))
        #expect(reason(Self.payload(id: "", nonce: "")) == .emptyOperationId)
        #expect(reason(Self.payload(nonce: "", key: "", signature: "")) == .missingSignature)
        #expect(reason(Self.payload(nonce: "", key: "2")) == .unknownSigningKey("2"))
        #expect(reason(Self.payload(nonce: "", signature: "x")) == .malformedSignature)
        #expect(reason(Self.payload(data: "", nonce: "")) == .malformedNonce)
        #expect(reason(Self.payload(data: "")) == .malformedVersion)
        #expect(reason(Self.payload(data: "Á1")) == .malformedVersion)
        for template in ["", "+1", "-0", "007", "100", "x", "١"] {
            #expect(reason(Self.payload(data: "A" + template)) == .malformedTemplateId(template), "\(template)")
        }
        #expect(reason(Self.payload(data: "A1" + String(repeating: "*Tx", count: 7))) == .tooManyFields(7))
        #expect(reason(Self.payload(data: "A1" + String(repeating: "*Tx", count: 6))) == nil)
    }

    @Test
    func `The examples of the specification are read, with the right key's signature over the right bytes`() throws {
        for (text, key, scalar, totp) in [
            (Example.payloadA, WMTQROperationSignature.SigningKey.master, 1...32, nil),
            (Example.payloadB, .personalized, 32...63, "48201934"),
        ] as [(String, WMTQROperationSignature.SigningKey, ClosedRange<UInt8>, String?)] {
            let operation = try parse(text)
            #expect(operation.signature.signingKey == key && operation.totp == totp)
            #expect(operation.message == "Please check the payment\nand confirm it")
            #expect(operation.flags == QROperationFlags("BX"))
            let fields = operation.operationData.fields
            #expect(fields[0] == .amount(amount: try #require(Decimal(string: "250.5")), currency: "EUR"))
            #expect(fields[1] == .account(iban: "CZ6508000000192000145399", bic: nil) && fields[2] == .empty)
            #expect(fields[3].plainDate.map { [$0.year, $0.month, $0.day] } == [2030, 12, 24])
            #expect(fields.count == 5 && fields[4] == .note(text: "Rent * December"))
            let publicKey = try PrivateKey(bigEndian: Data(scalar)).publicKey
            let signature = try #require(Data(base64Encoded: operation.signature.signature))
            #expect(publicKey.verify(signature: signature, of: operation.signedData))
            #expect(!publicKey.verify(signature: signature, of: operation.signedData + [0]))
            let payload = try OfflinePayload(text)
            #expect(Data(payload.signedText.utf8) == operation.signedData)
        }
    }

    @Test func `The codes of the examples have their known values`() throws {
        func key(_ first: UInt8) -> Data { Data(first..<(first + 16)) }
        let possession = try PossessionKey(key(0x10))
        let knowledge = SignatureKeys(possession: possession, knowledge: try KnowledgeKey(key(0x20)))
        let biometry = SignatureKeys(possession: possession, biometry: try BiometryKey(key(0x30)))
        let counter = try CounterData(Data(UInt8(0x40)..<UInt8(0x50)))
        func code(_ text: String, _ keys: SignatureKeys, length: Int = 8) throws -> String {
            let operation = try parse(text)
            return try SymmetricSignature.offline(
                keys: keys, counter: counter, uriId: OperationEndpoint.offlineId,
                nonce: operation.nonceForOfflineSigning,
                body: operation.dataForOfflineSigning, length: length)
        }
        #expect(try code(Example.payloadA, knowledge) == "35407794-18128750")
        #expect(try code(Example.payloadA, biometry) == "35407794-31754566")
        #expect(try code(Example.payloadA, knowledge, length: 4) == "7794-8750")
        #expect(try code(Example.payloadB, knowledge) == "10064162-93896726")
        #expect(try code(Example.payloadB, biometry) == "10064162-88499205")
        #expect(try code(Example.payloadB, knowledge, length: 4) == "4162-6726")
    }
}
