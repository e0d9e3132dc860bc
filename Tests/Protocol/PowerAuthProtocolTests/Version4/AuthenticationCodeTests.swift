// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: counter, authentication codes and tokens", .endsInTime)
struct AuthenticationCodeTests {
    private func keys(_ record: [String: String], _ factors: SignatureFactors) throws -> AuthenticationKeys {
        AuthenticationKeys(
            possession: factors.contains(.possession) ? try Key256(record.bytes("key1")) : nil,
            knowledge: factors.contains(.knowledge) ? try Key256(record.bytes("key2")) : nil,
            biometry: factors.contains(.biometry) ? try Key256(record.bytes("key3")) : nil)
    }

    private static let all: SignatureFactors = [.possession, .knowledge, .biometry]

    @Test(VectorsV4.condition) func `The first component is the vendor's`() throws {
        for (index, record) in try VectorsV4.records("auth-code-intermediate").enumerated() {
            let counter = try HashBasedCounter(record.bytes("ctrData"))
            let data = try record.bytes("inputData")
            let online = try record.bytes("authCodeOnline")
            for factors in [SignatureFactors.possession, Self.all] {
                let components = try AuthenticationCode.components(
                    keys: keys(record, factors), counter: counter, data: data)
                #expect(components.count == (factors == Self.all ? 3 : 1))
                #expect(components[0] == online.prefix(32), "record \(index)")
            }
            let code = try AuthenticationCode.code(
                form: .decimal(length: 8), keys: keys(record, .possession), counter: counter, data: data)
            #expect(try code == record.text("authCodeOffline").prefix(8))
            // The older nesting of the file's other components is not that of the protocol.
            let final = try AuthenticationCode.components(keys: keys(record, Self.all), counter: counter, data: data)
            #expect(final[1] != online.dropFirst(32).prefix(32) && final[2] != online.suffix(32))
        }
    }

    @Test(VectorsV4.condition) func `All components follow the written rule`() throws {
        for (index, record) in try VectorsV4.records("auth-code-final-DERIVED").enumerated() {
            let keys = try keys(record, Self.all)
            let counter = try HashBasedCounter(record.bytes("ctrData"))
            let data = try record.bytes("inputData")
            let online = try AuthenticationCode.code(form: .base64, keys: keys, counter: counter, data: data)
            #expect(try online == record.text("authCodeOnline"), "record \(index)")
            let offline = try AuthenticationCode.code(
                form: .decimal(length: 8), keys: keys, counter: counter, data: data)
            #expect(try offline == record.text("authCodeOffline"))
            // Two factors are the first two components.
            let two = try AuthenticationCode.components(
                keys: self.keys(record, [.possession, .knowledge]), counter: counter, data: data)
            #expect(
                try Array(two) == AuthenticationCode.components(keys: keys, counter: counter, data: data).dropLast())

            let twins = try [
                AuthenticationCode.code(form: .base64, keys: keys, counter: counter.next(), data: data),
                AuthenticationCode.code(form: .base64, keys: keys, counter: counter, data: data.flippingBit(index)),
                AuthenticationCode.code(
                    form: .base64,
                    keys: AuthenticationKeys(
                        possession: keys.possession, knowledge: .random(), biometry: keys.biometry),
                    counter: counter, data: data),
            ]
            #expect(!twins.contains(online))
        }
    }

    @Test(VectorsV4.condition) func `The counter runs through the vendor's values`() throws {
        for record in try VectorsV4.records("hash-based-counter") {
            var counter = try HashBasedCounter(record.bytes("ctrData[0]"))
            let start = counter
            for index in 1..<record.count {
                counter = counter.next()
                #expect(try counter.rawData == record.bytes("ctrData[\(index)]"))
                #expect(start.advanced(by: index) == counter)
            }
            let twin = try HashBasedCounter(start.rawData.flippingBit(3)).next()
            #expect(try twin.rawData != record.bytes("ctrData[1]"))
        }
        for count in [0, 16, 31, 33] {
            #expect(throws: ProtocolError.invalidLength(field: "ctrData", expected: "32 bytes", actual: count)) {
                try HashBasedCounter(Data(count: count))
            }
        }
    }

    @Test func `Knowledge and biometry need possession, unless they are alone`() throws {
        let keys = try ExampleV4.keys()
        let counter = HashBasedCounter.random()
        for invalid in [AuthenticationKeys(), AuthenticationKeys(knowledge: keys.knowledge, biometry: keys.biometry)] {
            #expect(throws: ProtocolError.self) {
                try AuthenticationCode.components(keys: invalid, counter: counter, data: Data())
            }
        }
        let alone = AuthenticationKeys(biometry: keys.biometry)
        #expect(try AuthenticationCode.components(keys: alone, counter: counter, data: Data()).count == 1)
        #expect(alone.factors == .biometry)
    }

    @Test func `An online code covers each part of the request`() throws {
        let keys = try ExampleV4.keys()
        let factors = AuthenticationKeys(possession: keys.possession, knowledge: keys.knowledge)
        let counter = HashBasedCounter.random()
        func code(_ method: String, _ uriId: String, _ nonce: String, _ body: String, _ secret: String) throws -> String
        {
            try AuthenticationCode.online(
                keys: factors, counter: counter,
                request: SignedRequest(
                    method: method, uriId: uriId, nonce: nonce, body: body.utf8Data, applicationSecretText: secret))
        }
        let code1 = try code("POST", "/a", LabExample.nonceText, "body", "secret")
        #expect(StrictBase64.decode(code1)?.count == 64)
        let codes = try [
            code1, code("PUT", "/a", LabExample.nonceText, "body", "secret"),
            code("POST", "/b", LabExample.nonceText, "body", "secret"),
            code("POST", "/a", SymmetricSignature.randomNonce(), "body", "secret"),
            code("POST", "/a", LabExample.nonceText, "other", "secret"),
            code("POST", "/a", LabExample.nonceText, "body", "other"),
        ]
        #expect(Set(codes).count == codes.count)
    }

    @Test(arguments: 3...9) func `A code without a connection has four to eight digits a factor`(length: Int) throws {
        let keys = try ExampleV4.keys()
        let code = try? AuthenticationCode.offline(
            keys: AuthenticationKeys(possession: keys.possession, knowledge: keys.knowledge), counter: .random(),
            uriId: "/test", nonce: LabExample.nonceText, body: Data(), length: length)
        #expect(code?.split(separator: "-").map(\.count) == ((4...8).contains(length) ? [length, length] : nil))
        #expect(throws: ProtocolError.self) {
            try AuthenticationCode.offline(
                keys: AuthenticationKeys(possession: keys.possession), counter: .random(), uriId: "/test", nonce: "",
                body: Data())
        }
    }

    @Test(arguments: [1, 20])
    func `A code is searched in the window, under the current and the next factor key`(window: Int) throws {
        let keys = try ExampleV4.keys()
        let (start, data) = (HashBasedCounter.random(), "data".utf8Data)
        let current = AuthenticationKeys(possession: keys.possession, knowledge: keys.knowledge)
        let next = AuthenticationKeys(possession: keys.possession, knowledge: .random())
        for distance in [0, window - 1, window, window + 1] {
            for (index, used) in [current, next].enumerated() {
                let code = try AuthenticationCode.code(
                    form: .base64, keys: used, counter: start.advanced(by: distance), data: data)
                let match = try AuthenticationCode.match(
                    code: code, form: .base64, candidates: [current, next].map { .init(keys: $0, data: data) },
                    counter: start, lookAhead: window)
                #expect(match?.distance == (distance < window ? distance : nil), "\(distance) of \(window)")
                #expect(match?.candidate == (distance < window ? index : nil))
                #expect(match?.nextCounter == (distance < window ? start.advanced(by: distance + 1) : nil))
            }
        }
        let nothing = try AuthenticationCode.match(
            code: "", form: .base64, candidates: [.init(keys: current, data: data)], counter: start, lookAhead: window)
        #expect(nothing == nil)
    }

    // MARK: Tokens

    @Test(VectorsV4.condition) func `Digests of tokens are the vendor's`() throws {
        for (index, record) in try VectorsV4.records("token-digest").enumerated() {
            let secret = try TokenSecret256(record.bytes("tokenSecret"))
            let nonce = try record.bytes("nonce")
            let time = String(decoding: try record.bytes("timestamp"), as: UTF8.self)
            let expected = try record.bytes("tokenDigest")
            #expect(
                TokenHeaderV4.digest(secret: secret, nonce: nonce, timestampText: time) == expected, "record \(index)")
            #expect(
                TokenHeaderV4.digest(secret: secret, nonce: nonce.flippingBit(index), timestampText: time) != expected)
            #expect(TokenHeaderV4.digest(secret: secret, nonce: nonce, timestampText: time + "0") != expected)
            #expect(TokenHeaderV4.digest(secret: .random(), nonce: nonce, timestampText: time) != expected)
        }
    }

    @Test func `A token's header comes back, and is authentic by its secret alone`() throws {
        let secret = TokenSecret256.random()
        let header = TokenHeaderV4(
            tokenId: ExampleV4.activationId, secret: secret, timestamp: LabExample.timestamp)
        let read = try TokenHeaderV4(parsing: header.value)
        #expect(read == header && read.isAuthentic(secret: secret) && !read.isAuthentic(secret: .random()))
        #expect(read.timestamp == LabExample.timestamp && read.replayValue == header.replayValue)
        #expect(throws: TokenHeaderError.versionInvalid) { try TokenHeader(parsing: header.value) }
        let older = TokenHeader(
            version: .v3_3, tokenId: ExampleV4.activationId, secret: .random(), timestamp: LabExample.timestamp)
        #expect(throws: ProtocolError.invalidFormat(field: "version", reason: "it must be 4.0")) {
            try TokenHeaderV4(parsing: older.value)
        }
    }
}
