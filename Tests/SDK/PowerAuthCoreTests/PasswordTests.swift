// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import TestSupport
import Testing

/// protocol.md, sections 14.5 and 21; sdk.md, section 12.13.
@Suite("Passwords", .endsInTime)
struct PasswordTests {
    private func bytes(_ password: PowerAuthCorePassword) -> [UInt8] {
        var result: [UInt8] = []
        password.validateComplexity { pointer, count in
            result = (0..<count).map { UInt8(bitPattern: pointer[$0]) }
            return 0
        }
        return result
    }

    @Test(.verifies("sdk.md", "B-63")) func `An immutable password counts bytes`() {
        #expect(PowerAuthCorePassword(string: "HelloWorld").length() == 10)
        #expect(PowerAuthCorePassword(data: Data(1...7)).length() == 7)
        #expect(PowerAuthCorePassword(string: "Η").length() == 2)
        #expect(PowerAuthCorePassword(string: "").length() == 0)
    }

    @Test(
        .verifies("size", "MaskedBytes.padSize"),
        arguments: [0, 1, 15, 16, 17, 31, 32, 33, 255])
    func `A password of any length keeps its bytes`(count: Int) {
        let content = (0..<count).map { UInt8($0 % 127 + 1) }
        let password = PowerAuthCorePassword(data: Data(content))
        #expect(bytes(password) == content && password.length() == UInt(count))
        let mutable = PowerAuthCoreMutablePassword()
        for byte in content { mutable.addCharacter(UInt32(byte)) }
        #expect(bytes(mutable) == content && mutable.isEqual(to: password))
    }

    @Test(.verifies("sdk.md", "B-63")) func `Passwords of equal bytes are equal, mutable or not`() {
        let mutable = PowerAuthCoreMutablePassword()
        for character in "Hello".unicodeScalars { mutable.addCharacter(character.value) }
        #expect(mutable.isEqual(to: PowerAuthCorePassword(string: "Hello")))
        #expect(PowerAuthCorePassword(string: "Hello") == mutable)
        #expect(!mutable.isEqual(to: PowerAuthCorePassword(string: "hello")))
        #expect(!mutable.isEqual(to: PowerAuthCorePassword(string: "Hell")))
        #expect(!mutable.isEqual(to: nil))
    }

    @Test(.verifies("sdk.md", "B-64"))
    func `Characters are added, inserted and removed; positions out of range are refused`() {
        let password = PowerAuthCoreMutablePassword()
        #expect(!password.insertCharacter(0, at: 1))
        #expect(password.addCharacter(0))
        #expect(password.addCharacter(1))
        #expect(password.insertCharacter(3, at: 2))
        #expect(password.insertCharacter(2, at: 2))
        #expect(bytes(password) == [0, 1, 2, 3])
        #expect(password.length() == 4)
        #expect(!password.removeCharacter(at: 4))
        #expect(!password.insertCharacter(9, at: 5))
        for _ in 0..<4 { #expect(password.removeLastCharacter()) }
        #expect(!password.removeLastCharacter())
    }

    @Test(.verifies("sdk.md", "B-64")) func `A character of several bytes is one character, and removed as one`() {
        let password = PowerAuthCoreMutablePassword()
        for character in "ABCDEFGHI".unicodeScalars { password.addCharacter(character.value) }
        #expect(password.insertCharacter(0x397, at: 0))
        #expect(password.length() == 10)
        #expect(password.copyToImmutable().length() == 11)
        #expect(password.removeCharacter(at: 0))
        #expect(password == PowerAuthCorePassword(string: "ABCDEFGHI"))
    }

    @Test(arguments: [0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xFFFF, 0x10000, 0x10FFFF] as [UInt32])
    func `Every code point counts once`(codePoint: UInt32) {
        let password = PowerAuthCoreMutablePassword()
        #expect(password.addCharacter(codePoint))
        #expect(password.length() == 1)
        #expect(password.removeLastCharacter())
        #expect(password.length() == 0)
    }

    @Test func `Code points above the last are refused`() {
        let password = PowerAuthCoreMutablePassword()
        #expect(!password.addCharacter(0x110000))
        #expect(!password.insertCharacter(.max, at: 0))
        #expect(password.length() == 0)
    }

    @Test(.verifies("sdk.md", "B-65"))
    func `A cleared password is empty, its copy is not, and a mutable one takes characters again`() {
        let immutable = PowerAuthCorePassword(string: "secret")
        let copy = immutable.copyToImmutable()
        immutable.secureClear()
        #expect(immutable.length() == 0)
        #expect(copy == PowerAuthCorePassword(string: "secret"))

        let mutable = PowerAuthCoreMutablePassword()
        mutable.addCharacter(0x31)
        mutable.secureClear()
        #expect(mutable.length() == 0)
        #expect(mutable.addCharacter(0x32))
        mutable.clear()
        #expect(mutable.length() == 0)
    }

    @Test func `The complexity closure gets a zero-terminated text`() {
        let result = PowerAuthCorePassword(string: "žluť").validateComplexity { pointer, count in
            #expect(pointer[count] == 0)
            return Int(strlen(pointer)) * 100 + count
        }
        #expect(result == 606)
    }
}
