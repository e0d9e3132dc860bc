// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("Token records (sharing.md, section 15.1)", .endsInTime)
struct TokenRecordTests {
    private let example = Data(
        ("{\"name\":\"MyToken\",\"id\":\"8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11\","
            + "\"aid\":\"c564e700-7e86-4a87-b6c8-a5a0cc89683f\",\"af\":1,\"sec\":\"AAECAwQFBgcICQoLDA0ODw==\"}").utf8)

    @Test func `A record survives writing and reading`() throws {
        let record = try #require(TokenRecord(example))
        #expect(record.name == "MyToken")
        #expect(record.identifier == "8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11")
        #expect(record.activationId == "c564e700-7e86-4a87-b6c8-a5a0cc89683f")
        #expect(record.factors == 1)
        #expect(record.secret == Data((0..<16).map { UInt8($0) }))
        #expect(TokenRecord(record.serialized()) == record)
    }

    @Test func `A record of 1.6 has neither activation nor factors, and keeps its identifier when written`() throws {
        let old = Data("{\"name\":\"T\",\"id\":\"x\",\"sec\":\"AAECAwQFBgcICQoLDA0ODw==\"}".utf8)
        let record = try #require(TokenRecord(old))
        #expect(record.activationId == nil)
        #expect(record.factors == 0)
        #expect(TokenRecord(record.serialized()) == record)
    }

    @Test func `A record is written with sorted names, and without an activation or factors that it has not`() throws {
        let secret = "\"sec\":\"AAECAwQFBgcICQoLDA0ODw==\""
        let bytes = Data((0..<16).map { UInt8($0) })
        let full = try #require(TokenRecord(name: "T", identifier: "x", secret: bytes, activationId: "A", factors: 7))
        #expect(
            String(decoding: full.serialized(), as: UTF8.self)
                == "{\"af\":7,\"aid\":\"A\",\"id\":\"x\",\"name\":\"T\",\(secret)}")
        let old = try #require(TokenRecord(name: "T", identifier: "x", secret: bytes, activationId: nil, factors: 0))
        #expect(String(decoding: old.serialized(), as: UTF8.self) == "{\"id\":\"x\",\"name\":\"T\",\(secret)}")
    }

    @Test(
        .verifies("size", "TokenRecord.secretLength", "TokenRecord.secretLengthV4"),
        arguments: [
            "", "[]", "{", "{\"name\":\"T\",\"id\":\"x\"}",
            "{\"name\":\"T\",\"id\":1,\"sec\":\"AAECAwQFBgcICQoLDA0ODw==\"}",
            "{\"name\":\"T\",\"sec\":\"AAECAwQFBgcICQoLDA0ODw==\"}",
            "{\"name\":\"T\",\"id\":\"x\",\"sec\":\"AAECAwQFBgcICQoLDA0O\"}",
            "{\"name\":\"T\",\"id\":\"x\",\"sec\":\"AAECAwQFBgcICQoLDA0ODxA=\"}",
            "{\"name\":\"T\",\"id\":\"x\",\"sec\":\"\(Data(count: 31).base64EncodedString())\"}",
            "{\"name\":\"T\",\"id\":\"x\",\"sec\":\"\(Data(count: 33).base64EncodedString())\"}",
            "{\"name\":\"T\",\"id\":\"x\",\"sec\":\"not base64\"}",
        ])
    func `Any other value is not a record`(text: String) {
        #expect(TokenRecord(Data(text.utf8)) == nil)
    }

    @Test(.verifies("size", "TokenRecord.secretLength", "TokenRecord.secretLengthV4"), arguments: [16, 32])
    func `The secret of a record has the size of either protocol`(count: Int) throws {
        let secret = Data(repeating: 7, count: count)
        let read = TokenRecord(name: "T", identifier: "x", secret: secret, activationId: "A", factors: 1)
        let record = try #require(read)
        #expect(TokenRecord(record.serialized()) == record && record.isVersion4 == (count == 32))
    }

    @Test func `A record never prints its secret`() throws {
        let record = try #require(TokenRecord(example))
        for text in ["\(record)", String(reflecting: record)] {
            #expect(!text.contains("AAEC"))
        }
    }

    @Test func `Removing all tokens of one instance leaves those of another whose name begins alike`() throws {
        let sandbox = try Sandbox.temporary()
        let keychain = PowerAuthKeychain(
            identifier: PowerAuthKeychain_TokenStore, accessGroup: nil, system: sandbox.keychain)
        let short = TokenRecordStore(keychain: keychain, instanceId: "a", sandbox: sandbox)
        let long = TokenRecordStore(keychain: keychain, instanceId: "a__b", sandbox: sandbox)
        let record = { (name: String) in
            TokenRecord(name: name, identifier: "i", secret: Data(count: 16), activationId: "x", factors: 1)!
        }
        #expect(short.store(record("own")))
        #expect(long.store(record("other")))
        #expect(short.record(named: "b__other") == nil)
        short.removeAll()
        #expect(short.record(named: "own") == nil)
        #expect(long.record(named: "other") != nil)
    }
}
