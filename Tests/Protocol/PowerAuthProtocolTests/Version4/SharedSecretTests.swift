// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: shared secrets", .endsInTime)
struct SharedSecretTests {
    private func client(_ record: [String: String]) throws -> SharedSecretClient {
        try SharedSecretClient(
            suite: record["mlkemSeed"] == nil ? .ecP384 : .ecP384MLL3,
            ec: P384PrivateKey(scalar: SecretBytes(record.bytes("ecClientPrivateKey"))),
            latticeSeed: record["mlkemSeed"] == nil ? nil : SecretBytes(record.bytes("mlkemSeed")))
    }

    private func response(_ record: [String: String]) throws -> SharedSecretResponse {
        SharedSecretResponse(
            salt: try record.bytes("salt"),
            encapsulatedKeys: try [record.bytes("ecServerPublicKey")]
                + (record["pqcCiphertext"] == nil ? [] : [record.bytes("pqcCiphertext")]))
    }

    @Test(VectorsV4.condition, arguments: ["shared-secret-ec-p384", "shared-secret-ec-p384-ml-l3"])
    func `The client computes the vendor's secrets`(file: String) throws {
        for (index, record) in try VectorsV4.records(file).enumerated() {
            let (client, response) = (try client(record), try response(record))
            let expected = try record.bytes("sharedSecret")
            #expect(try client.secret(of: response).rawData == expected, "record \(index)")

            let salted = SharedSecretResponse(
                salt: response.salt.flippingBit(index), encapsulatedKeys: response.encapsulatedKeys)
            #expect(try client.secret(of: salted).rawData != expected)
            for count in [0, 31, 33] {
                let twin = SharedSecretResponse(
                    salt: counting(count, from: 0), encapsulatedKeys: response.encapsulatedKeys)
                #expect(throws: ProtocolError.invalidLength(field: "salt", expected: "32 bytes", actual: count)) {
                    try client.secret(of: twin)
                }
            }
            let moved = [response.encapsulatedKeys[0].flippingBit(9 + index)] + response.encapsulatedKeys.dropFirst()
            #expect(throws: ProtocolError.invalidKey("encapsulatedKeys[0]")) {
                try client.secret(of: SharedSecretResponse(salt: response.salt, encapsulatedKeys: moved))
            }
            for keys in [[], response.encapsulatedKeys + [Data()]] {
                #expect(throws: ProtocolError.self) {
                    try client.secret(of: SharedSecretResponse(salt: response.salt, encapsulatedKeys: keys))
                }
            }
            guard response.encapsulatedKeys.count == 2 else { continue }
            let (point, ciphertext) = (response.encapsulatedKeys[0], response.encapsulatedKeys[1])
            let changed = SharedSecretResponse(
                salt: response.salt, encapsulatedKeys: [point, ciphertext.flippingBit(index * 31)])
            #expect(try client.secret(of: changed).rawData != expected, "ML-KEM rejects implicitly")
            #expect(
                throws: ProtocolError.invalidLength(
                    field: "ML-KEM-768 cipher text", expected: "1088 bytes", actual: 1087)
            ) {
                try client.secret(
                    of: SharedSecretResponse(salt: response.salt, encapsulatedKeys: [point, ciphertext.dropLast()]))
            }
        }
    }

    @Test(VectorsV4.condition) func `ML-KEM-768 decapsulates the vendor's cipher texts`() throws {
        let suite = CryptographySuite.ecP384MLL3
        let kem = try #require(suite.kem)
        for (index, record) in try VectorsV4.records("mlkem768-decapsulation").enumerated() {
            let key = try kem.key(seed: SecretBytes(record.bytes("seed")))
            let ciphertext = try record.bytes("ciphertext")
            let expected = try record.bytes("sharedSecret")
            #expect(key.publicKey.count == 1184)
            #expect(try key.decapsulate(ciphertext).rawData == expected, "record \(index)")
            #expect(try key.decapsulate(ciphertext.flippingBit(index * 87)).rawData != expected)
            #expect(throws: ProtocolError.self) { try key.decapsulate(ciphertext + [0]) }
        }
    }

    @Test(arguments: ExampleV4.suites)
    func `Client and server get one secret, another for each exchange`(suite: CryptographySuite) throws {
        let client = try SharedSecretClient(suite: suite)
        let (response, secret) = try SharedSecretServer.answer(client.request, suite: suite)
        #expect(try client.secret(of: response) == secret)
        let (otherResponse, otherSecret) = try SharedSecretServer.answer(client.request, suite: suite)
        #expect(otherSecret != secret && otherResponse.salt != response.salt)
        #expect(try client.secret(of: otherResponse) == otherSecret)
        // Another client's answer gives no error and no secret either.
        #expect(try SharedSecretClient(suite: suite).secret(of: response) != secret)

        // Through JSON.
        let request = try JSONDecoder().decode(
            SharedSecretRequest.self, from: JSONEncoder().encode(client.request))
        #expect(request == client.request && request.algorithm == suite.name.rawValue)
        #expect(
            try JSONDecoder().decode(SharedSecretResponse.self, from: JSONEncoder().encode(response)) == response)
        let sizes: [Int] =
            switch suite.name {
            case .ecP384: [97]
            case .ecP384MLL3: [97, 1206]
            case .ecP384MLL5: [97, 1590]
            }
        #expect(request.encapsulationKeys.map(\.count) == sizes)
    }

    @Test(arguments: ExampleV4.suites)
    func `The server refuses another suite and unusable keys`(suite: CryptographySuite) throws {
        let request = try SharedSecretClient(suite: suite).request
        for other in ExampleV4.suites where other != suite {
            #expect(
                throws: ProtocolError.invalidFormat(
                    field: "algorithm", reason: "it is \(suite), expected \(other)")
            ) { try SharedSecretServer.answer(request, suite: other) }
            // A downgrade by the name alone.
            let renamed = SharedSecretRequest(
                algorithm: other.name.rawValue, encapsulationKeys: request.encapsulationKeys)
            #expect(throws: ProtocolError.self) { try SharedSecretServer.answer(renamed, suite: other) }
            #expect(throws: ProtocolError.self) { try SharedSecretServer.answer(renamed, suite: suite) }
        }
        let keys = request.encapsulationKeys
        for twin in [[], keys + [keys[0]], Array(keys.dropLast()) + [keys[keys.count - 1].dropLast()]] {
            let request = SharedSecretRequest(algorithm: suite.name.rawValue, encapsulationKeys: twin)
            #expect(throws: ProtocolError.self) { try SharedSecretServer.answer(request, suite: suite) }
        }
        for index in keys.indices {
            var changed = keys
            // A byte of the point, or of the container's identifier.
            changed[index] = keys[index].flippingBit(8 * 18)
            let request = SharedSecretRequest(algorithm: suite.name.rawValue, encapsulationKeys: changed)
            #expect(throws: ProtocolError.invalidKey("encapsulationKeys[\(index)]")) {
                try SharedSecretServer.answer(request, suite: suite)
            }
        }
    }

    @Test(arguments: [CryptographySuite.Name.ecP384MLL3, .ecP384MLL5])
    func `A key of ML-KEM with coefficients out of range is refused`(name: CryptographySuite.Name) throws {
        let suite = CryptographySuite.named(name)
        let algorithm = try #require(name.lattice?.kem)
        let point = try SharedSecretClient(suite: suite).request.encapsulationKeys[0]
        let container = algorithm.container(of: Data(repeating: 0xFF, count: algorithm.publicKeySize))
        let request = SharedSecretRequest(algorithm: name.rawValue, encapsulationKeys: [point, container])
        #expect(throws: ProtocolError.invalidKey("\(algorithm.rawValue) public key")) {
            try SharedSecretServer.answer(request, suite: suite)
        }
    }

    @Test(.verifies("size", "SharedSecretExchange.saltSize"), arguments: [31, 32, 33])
    func `A salt has thirty-two bytes`(count: Int) throws {
        let client = try SharedSecretClient(suite: .ecP384)
        let (response, _) = try SharedSecretServer.answer(client.request, suite: .ecP384)
        #expect(response.salt.count == 32)
        let other = SharedSecretResponse(salt: counting(count, from: 1), encapsulatedKeys: response.encapsulatedKeys)
        #expect(((try? client.secret(of: other)) != nil) == (count == 32))
    }

    @Test func `JSON without a member, or with text that is not Base64, is refused`() {
        for text in [
            #"{}"#, #"{"algorithm":"EC_P384"}"#, #"{"algorithm":"EC_P384","encapsulationKeys":["?"]}"#,
            #"{"algorithm":1,"encapsulationKeys":[]}"#,
        ] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(SharedSecretRequest.self, from: text.utf8Data)
            }
        }
        for text in [#"{"salt":"AA=="}"#, #"{"salt":"?","encapsulatedKeys":[]}"#, #"{"encapsulatedKeys":[]}"#] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(SharedSecretResponse.self, from: text.utf8Data)
            }
        }
    }

    @Test func `A seed belongs to a hybrid suite, and to no other`() throws {
        let ec = try P384PrivateKey.generate()
        #expect(throws: ProtocolError.self) {
            try SharedSecretClient(suite: .ecP384, ec: ec, latticeSeed: SecretBytes(Data(count: 64)))
        }
        #expect(throws: ProtocolError.self) {
            try SharedSecretClient(suite: .ecP384MLL3, ec: ec, latticeSeed: nil)
        }
        for count in [0, 32, 63, 65] {
            #expect(throws: ProtocolError.invalidLength(field: "seed", expected: "64 bytes", actual: count)) {
                try SharedSecretClient(
                    suite: .ecP384MLL5, ec: ec, latticeSeed: SecretBytes(Data(count: count)))
            }
        }
    }
}

@Suite("Protocol 4: keys of P-384 and of the lattices", .endsInTime)
struct SuiteKeyTests {
    @Test func `Points and scalars outside of the curve are refused`() throws {
        let key = try P384PrivateKey.generate()
        let point = key.publicKey.uncompressed
        #expect(try P384PublicKey(encoded: point) == key.publicKey)
        #expect(try P384PrivateKey(scalar: key.scalar()).publicKey == key.publicKey)
        let compressed = Data([2 | (point[96] & 1)]) + point[1..<49]
        for twin in [Data(), point.dropLast(), point + [0], compressed, point.flippingBit(8 * 50), Data([0])] {
            #expect(throws: ProtocolError.invalidKey("publicKey")) { try P384PublicKey(encoded: twin) }
        }
        let order = hex(
            """
            ffffffffffffffffffffffffffffffffffffffffffffffff
            c7634d81f4372ddf581a0db248b0a77aecec196accc52973
            """)
        #expect(throws: Never.self) { try P384PrivateKey(scalar: SecretBytes(Data([0]) + order.dropLast() + [0x72])) }
        for twin in [Data(), Data(count: 48), order, Data([1]) + order] {
            #expect(throws: ProtocolError.invalidKey("privateKey")) { try P384PrivateKey(scalar: SecretBytes(twin)) }
        }
    }

    @Test func `ECDSA on P-384 signs in both formats`() throws {
        let (key, message) = (try P384PrivateKey.generate(), "message".utf8Data)
        for format in ECDSAFormat.allCases {
            let signature = try key.sign(message, format: format)
            #expect(key.publicKey.verify(signature: signature, of: message, format: format))
            #expect(!key.publicKey.verify(signature: signature, of: message + [0], format: format))
            #expect(!key.publicKey.verify(signature: signature.flippingBit(100), of: message, format: format))
            #expect(!key.publicKey.verify(signature: Data(), of: message, format: format))
            if format == .jose { #expect(signature.count == 96) }
        }
    }

    @Test(arguments: LatticeAlgorithm.allCases)
    func `A container has one spelling, and the size of its algorithm`(algorithm: LatticeAlgorithm) throws {
        let key = Data(repeating: 0x5A, count: algorithm.publicKeySize)
        let container = algorithm.container(of: key)
        #expect(container.count == algorithm.publicKeySize + 22)
        let prefixes: [LatticeAlgorithm: String] = [
            .mlkem768: "308204b2300b0609608648016503040402038204a100",
            .mldsa65: "308207b2300b0609608648016503040312038207a100",
        ]
        if let prefix = prefixes[algorithm] { #expect(container.prefix(22).hexText == prefix) }
        #expect(try algorithm.key(in: container, field: "key") == key)
        for twin in [Data(), container.dropLast(), container + [0], container.flippingBit(8 * 16), key] {
            #expect(throws: ProtocolError.invalidKey("key")) { try algorithm.key(in: twin, field: "key") }
        }
        for other in LatticeAlgorithm.allCases where other != algorithm {
            #expect(throws: ProtocolError.invalidKey("key")) { try other.key(in: container, field: "key") }
        }
    }

    @Test(arguments: ExampleV4.suites)
    func `Public keys come back from a message, and only for their suite`(suite: CryptographySuite) throws {
        let keys = try SuitePrivateKeys.generate(suite: suite).publicKeys
        let message = try JSONDecoder().decode(EncodedSuiteKeys.self, from: JSONEncoder().encode(keys.encoded))
        #expect(try message == keys.encoded && SuitePublicKeys(message, suite: suite) == keys)
        #expect((message.mldsa == nil) == (suite == .ecP384))
        for other in ExampleV4.suites where other != suite {
            #expect(throws: ProtocolError.self) { try SuitePublicKeys(message, suite: other) }
        }
        #expect(throws: ProtocolError.invalidKey("ecdsa")) {
            try SuitePublicKeys(EncodedSuiteKeys(ecdsa: Data(count: 97), mldsa: message.mldsa), suite: suite)
        }
    }

    @Test(arguments: ExampleV4.suites)
    func `A device's private keys are sealed under the vault's key`(suite: CryptographySuite) throws {
        let keys = try SuitePrivateKeys.generate(suite: suite)
        let vault = try ExampleV4.keys().deviceKeyEncryption
        let sealed = try keys.sealed(under: vault)
        #expect(try SuitePrivateKeys(opening: sealed, with: vault, suite: suite).publicKeys == keys.publicKeys)
        #expect(throws: ProtocolError.macMismatch) {
            try SuitePrivateKeys(opening: sealed, with: .random(), suite: suite)
        }
        let encoded = try keys.encoded().rawData
        for other in ExampleV4.suites where (other == .ecP384) != (suite == .ecP384) {
            #expect(throws: ProtocolError.self) {
                try SuitePrivateKeys(encoded: SecretBytes(encoded), suite: other)
            }
        }
        for twin in [Data(), encoded.dropLast(), encoded + [0], encoded.flippingBit(0), encoded.prefix(3)] {
            #expect(throws: ProtocolError.self) { try SuitePrivateKeys(encoded: SecretBytes(Data(twin)), suite: suite) }
        }
        #expect("\(keys)".contains(suite.name.rawValue))
    }

    @Test(arguments: ExampleV4.suites)
    func `The ML-DSA key of a hybrid suite signs alone`(suite: CryptographySuite) throws {
        let (keys, message) = (try SuitePrivateKeys.generate(suite: suite), "message".utf8Data)
        guard let signature = try keys.latticeSignature(of: message) else {
            #expect(suite == .ecP384 && !keys.publicKeys.verifyLattice(signature: Data(), of: message))
            return
        }
        #expect(signature.count == suite.name.lattice?.signature.outputSize)
        #expect(keys.publicKeys.verifyLattice(signature: signature, of: message))
        #expect(!keys.publicKeys.verifyLattice(signature: signature.flippingBit(77), of: message))
        #expect(!keys.publicKeys.verifyLattice(signature: signature, of: message + [0]))
        #expect(!keys.publicKeys.verifyLattice(signature: signature.dropLast(), of: message))
    }

    @Test(arguments: ExampleV4.suites)
    func `A fingerprint has eight digits, and covers suite, keys and activation`(suite: CryptographySuite) throws {
        let device = try SuitePrivateKeys.generate(suite: suite).publicKeys
        let server = try SuitePrivateKeys.generate(suite: suite).publicKeys
        let id = ExampleV4.activationId
        let fingerprint = Fingerprint.v4(device: device, activationId: id, server: server)
        #expect(fingerprint.utf8.count == 8 && fingerprint.allSatisfy(\.isNumber))
        #expect(Fingerprint.v4(device: server, activationId: id, server: device) != fingerprint)
        #expect(Fingerprint.v4(device: device, activationId: id + "0", server: server) != fingerprint)
    }

    @Test func `The two ways to take a coordinate differ for leading zero bytes alone`() throws {
        // The smallest scalar whose point has an X coordinate that begins with a zero byte.
        var found = 0
        for number in 1...600 where found < 2 {
            let scalar = Data([UInt8(number >> 8), UInt8(number & 0xFF)])
            let keys = try P384PrivateKey(scalar: SecretBytes(scalar))
            let device = try SuitePublicKeys(EncodedSuiteKeys(ecdsa: keys.publicKey.uncompressed), suite: .ecP384)
            let begins = keys.publicKey.uncompressed[1] == 0
            let (minimal, padded) = (
                Fingerprint.v4(device: device, activationId: "a", server: device),
                Fingerprint.v4(device: device, activationId: "a", server: device, coordinate: .padded)
            )
            #expect((minimal != padded) == begins, "\(number)")
            if begins { found += 1 }
        }
        #expect(found > 0)
    }
}
