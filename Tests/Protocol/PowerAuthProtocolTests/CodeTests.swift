// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Activation codes, recovery codes, PUKs", .endsInTime)
struct CodeTests {
    static let valid = [
        "AAAAA-AAAAA-AAAAA-AAAAA", "MMMMM-MMMMM-MMMMM-MUTOA", "VVVVV-VVVVV-VVVVV-VTFVA", "55555-55555-55555-55YMA",
        "W65WE-3T7VI-7FBS2-A4OYA", "AAAQE-AYEAU-DAOCA-JIICA", "CEIRC-EIRCE-IRCEI-R4Y3Q",
    ]
    static let invalid = [
        "", " ", "KLMNO-PQRST", "W65WE-3T7VI-7FBS2-A4OY", "W65WE-3T7VI-7FBS2-A4OYA ", "W65WE-3T7VI-7FBS2-A4OYA#",
        "W65WE-3T7VI-7FBS0-A4OYA", "W65WE-3T7VI-7FBS1-A4OYA", "W65WE-3T7VI-7FBS8-A4OYA", "W65WE-3T7VI-7FBS9-A4OYA",
        "w65we-3t7vi-7fbs2-a4oya", "W65W-E3T7VI-7FBS2-A4OYA", "W65WE-3T7VI-7FBS2+A4OYA", "W65WE-3T7VI-7FBS2-A4OYB",
        "W65WE-3T7VI-7FBS2-A4OYQ", "W65WF-3T7VI-7FBS2-A4OYA", "X:W65WE-3T7VI-7FBS2-A4OYA", "W65WE3T7VI7FBS2A4OYA",
        "W65WE-3T7VI-7FBS2--4OYA", "ÁÁAAA-AAAAA-AAAAA-AAA",
    ]

    @Test(arguments: valid) func `A valid code is accepted`(text: String) throws {
        let code = try ActivationCode(text)
        #expect(code.text == text)
        #expect(try ActivationCode(raw: code.raw) == code)
        let parsed = try ActivationCodeParser.parse(text)
        #expect(parsed.code == code && parsed.signature == nil)
        #expect(try RecoveryCode("R:" + text).text == text)
        #expect(RecoveryCode.isValid(text, allowsPrefix: false))
        #expect(!RecoveryCode.isValid("R:" + text, allowsPrefix: false))
        #expect(try RecoveryCode("R:" + text).code == code)
    }

    @Test(arguments: invalid) func `An invalid code is refused`(text: String) {
        #expect(!ActivationCode.isValid(text))
        #expect(!RecoveryCode.isValid(text))
        #expect(!RecoveryCode.isValid("R:" + text))
        #expect(throws: ProtocolError.self) { try ActivationCodeParser.parse(text) }
    }

    @Test func `Generated codes are valid`() throws {
        let codes = (0..<100).map { _ in ActivationCode.generate() }
        #expect(Set(codes).count == 100)
        for code in codes {
            #expect(try ActivationCode(code.text) == code)
            #expect(["A", "Q"].contains(code.text.last))
            // Any other character in any place breaks the checksum or the form.
            for index in code.text.indices where code.text[index] != "-" {
                let other = code.text[index] == "B" ? "C" : "B"
                #expect(!ActivationCode.isValid(code.text.replacingCharacters(in: index...index, with: other)))
            }
        }
        #expect(throws: ProtocolError.self) { try ActivationCode(raw: Data(count: 9)) }
    }

    @Test func `Signed codes are verified`() throws {
        let code = Self.valid[4]
        for signature in ["ABCD", "ABC=", "AB=="] {
            #expect(try ActivationCodeParser.parse("\(code)#\(signature)").signature == signature)
        }
        for text in [
            "#", "#AB==", "\(code)#", "\(code)#AB", "\(code)#AB#", "\(code)#ABA=#", "\(code)#ABA-=", "\(code)##AB==",
            " \(code)#AB==", "R:\(code)",
        ] {
            #expect(throws: ProtocolError.self, "\(text)") { try ActivationCodeParser.parse(text) }
        }
        for text in ["\(code)#AB==", "R:\(code)#AB==", "R:", "R:R:\(code)", "\(code)R:", "\(code)#"] {
            #expect(throws: ProtocolError.self, "\(text)") { try RecoveryCode(text) }
        }
    }

    @Test func `A code is checked at the start of an activation`() throws {
        let master = try PrivateKey.generate()
        let code = ActivationCode.generate()
        let signature = try code.signature(by: master).base64
        func check(_ code: ActivationCode?, _ signature: String?) throws {
            try ActivationCode.checkForStart(code, signature: signature, masterKey: master.publicKey)
        }
        #expect(throws: Never.self) { try check(nil, nil) }
        #expect(throws: Never.self) { try check(nil, "") }
        #expect(throws: Never.self) { try check(code, nil) }
        #expect(throws: Never.self) { try check(code, signature) }
        #expect(throws: ProtocolError.signatureMismatch) { try check(nil, signature) }
        #expect(throws: ProtocolError.signatureMismatch) { try check(code, "AB==") }
        #expect(throws: ProtocolError.signatureMismatch) { try check(code, "not Base64") }
        #expect(throws: ProtocolError.signatureMismatch) { try check(ActivationCode.generate(), signature) }
        #expect(
            throws: ProtocolError.invalidFormat(
                field: "activation code", reason: "its checksum is wrong, so it was mistyped")
        ) { try ActivationCode("W65WF-3T7VI-7FBS2-A4OYA") }
    }

    @Test func `A wrong code states the rule that it breaks`() {
        for (text, reason) in [
            ("W65WE-3T7VI-7FBS2-A4OY", "it must have 23 characters, not 22"),
            ("W65WE-3T7VI-7FBS2-A4OYA ", "it must have 23 characters, not 24"),
            ("W65W-E3T7VI-7FBS2-A4OYA", "it must have dashes after every fifth character and nowhere else"),
            ("W65WE-3T7VI-7FBS2-A4O-A", "it must have dashes after every fifth character and nowhere else"),
            ("W65WE-3T7VI-7FBS0-A4OYA", "it must consist of the characters A–Z and 2–7"),
            ("W65WE-3T7VI-7FBS2-A4OYB", "it must consist of the characters A–Z and 2–7"),
            ("W65WF-3T7VI-7FBS2-A4OYA", "its checksum is wrong, so it was mistyped"),
        ] {
            #expect(throws: ProtocolError.invalidFormat(field: "activation code", reason: reason), "\(text)") {
                try ActivationCode(text)
            }
            for prefix in ["", "R:"] {
                #expect(throws: ProtocolError.invalidFormat(field: "recovery code", reason: reason), "\(text)") {
                    try RecoveryCode(prefix + text)
                }
            }
        }
        let prefixed = ProtocolError.invalidFormat(field: "recovery code", reason: "the prefix R: is not allowed here")
        #expect(throws: prefixed) { try RecoveryCode("R:\(Self.valid[4])", allowsPrefix: false) }
        #expect(throws: ProtocolError.invalidFormat(field: "puk", reason: "it must be exactly 10 digits")) {
            try RecoveryPuk("012345678")
        }
        for count in [0, 9, 11] {
            #expect(throws: ProtocolError.invalidLength(field: "activation code", expected: "10 bytes", actual: count))
            {
                try ActivationCode(raw: Data(count: count))
            }
        }
    }

    @Test
    func `A recovery seed is made of sixteen or thirty-two bytes, a nonce of thirty-two and an index of eight`() throws
    {
        for count in 0...33 {
            let seed = try? RecoverySeed(secret: SecretBytes(Data(count: count)), nonce: Data(count: 32))
            #expect((seed != nil) == (count == 16 || count == 32), "\(count)")
            let other = try? RecoverySeed(secret: SecretBytes(Data(count: 16)), nonce: Data(count: count))
            #expect((other != nil) == (count == 32), "\(count)")
            #expect(((try? other?.puk(index: Data(count: 8))) != nil) == (count == 32), "\(count)")
        }
        let seed = try RecoverySeed.generate()
        for count in 0...16 {
            #expect(((try? seed.puk(index: Data(count: count))) != nil) == (count == 8), "\(count)")
        }
    }

    @Test func `PUKs are checked`() throws {
        #expect(try RecoveryPuk("0123456789").text == "0123456789")
        for text in [
            "", "012345678", "01234567890", "012345678A", "01234 6789", "-123456789", "+123456789", "٠١٢٣٤٥٦٧٨٩",
        ] {
            #expect(!RecoveryPuk.isValid(text), "\(text)")
        }
        #expect("\(try RecoveryPuk("0123456789"))" == "RecoveryPuk(10 digits)")
    }

    @Test func `Recovery codes and PUKs follow from their seed`() throws {
        let seed = try RecoverySeed.generate()
        let puks = try (0..<20).map { _ in try seed.puk(index: Random.bytes(8)).text }
        #expect(Set(puks).count == 20 && puks.allSatisfy { RecoveryPuk.isValid($0) })
        #expect(throws: ProtocolError.self) { try seed.puk(index: Data(count: 7)) }
        #expect(throws: ProtocolError.self) {
            try RecoverySeed(secret: SecretBytes(Data(count: 15)), nonce: Data(count: 32))
        }
        #expect(throws: ProtocolError.self) {
            try RecoverySeed(secret: SecretBytes(Data(count: 16)), nonce: Data(count: 31))
        }
        #expect(throws: Never.self) { try RecoverySeed(secret: SecretBytes(Data(count: 32)), nonce: Data(count: 32)) }
    }

    @Test func `Typed characters are corrected`() {
        let typed = "abcdefghijklmnopqrstuvwxyz01"
        let corrected = typed.unicodeScalars.map { TypedCharacter.correct($0.value) }
        #expect(
            corrected.compactMap { Unicode.Scalar($0) }.map { String($0) }.joined() == "ABCDEFGHIJKLMNOPQRSTUVWXYZOI")
        for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".unicodeScalars {
            #expect(TypedCharacter.correct(character.value) == character.value)
            #expect(TypedCharacter.validate(character.value))
        }
        for character in "89-=#$%^&!@'();".unicodeScalars {
            #expect(TypedCharacter.correct(character.value) == 0)
            #expect(!TypedCharacter.validate(character.value))
        }
        for codePoint in [UInt32(0xD800), 0x11_0000, .max] {
            #expect(TypedCharacter.correct(codePoint) == 0 && !TypedCharacter.validate(codePoint))
        }
        #expect(!TypedCharacter.validate(Unicode.Scalar("a")))
    }
}
