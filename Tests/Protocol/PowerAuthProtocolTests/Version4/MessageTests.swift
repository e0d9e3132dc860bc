// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: status, headers, configuration and other messages", .endsInTime)
struct MessageTests {
    // MARK: Status

    private func status(_ keys: UtilityKeys, _ counter: HashBasedCounter, byte: UInt8 = 0xFE) -> AuthenticatedStatus {
        AuthenticatedStatus(
            state: .active, currentVersion: 3, upgradeVersion: 4,
            flags: [.confirmationPending, .upgradeConfirmationPending, .biometryEnabled], counterByte: byte,
            failedAttempts: 2, maxFailedAttempts: 5, lookAhead: 20,
            counterHash: AuthenticatedStatus.counterHash(counter, key: keys.counterCode))
    }

    @Test func `A status has its known bytes, comes back, and is refused when a bit was changed`() throws {
        let keys = try ExampleV4.keys().utility
        let status = status(keys, try HashBasedCounter(counting(32, from: 0xA0)))
        let encoded = try status.encoded(key: keys.statusCode)
        // Of an independent implementation in Python.
        #expect(
            encoded.hexText == """
                dec0ded40303040b00000000fe020514\
                81e0096a3e582b6da8914f6acd14e711a630f932e6bd10b99fb51180fa74bcfc\
                7aac30e741b15c81b6406216d707debb1890dc80c9d5a8267e401ee21499f6c4
                """)
        #expect(try AuthenticatedStatus(encoded, key: keys.statusCode) == status)
        for bit in stride(from: 0, to: 640, by: 23) {
            #expect(throws: ProtocolError.macMismatch) {
                try AuthenticatedStatus(encoded.flippingBit(bit), key: keys.statusCode)
            }
        }
        #expect(throws: ProtocolError.macMismatch) { try AuthenticatedStatus(encoded, key: .random()) }
        for count in [0, 32, 79, 81] {
            #expect(throws: ProtocolError.invalidLength(field: "activationStatus", expected: "80 bytes", actual: count))
            {
                try AuthenticatedStatus(Data(count: count), key: keys.statusCode)
            }
        }
        for lookAhead: UInt8 in [0, 65] {
            var twin = status
            twin.lookAhead = lookAhead
            #expect(throws: ProtocolError.self) { try twin.encoded(key: keys.statusCode) }
        }
        var twin = status
        twin.counterHash = Data(count: 16)
        #expect(throws: ProtocolError.self) { try twin.encoded(key: keys.statusCode) }
    }

    @Test(arguments: [
        (0, 0), (0, 1), (0, 19), (0, 20), (1, 0), (10, 0), (11, 0), (19, 0), (20, 0), (21, 0),
    ])
    func `A client follows the server within the window`(client: Int, server: Int) throws {
        let keys = try ExampleV4.keys().utility
        let start = HashBasedCounter.random()
        let serverByte = UInt8(truncatingIfNeeded: 250 + server)
        let outcome = status(keys, start.advanced(by: server), byte: serverByte).synchronization(
            counter: start.advanced(by: client), byte: UInt8(truncatingIfNeeded: 250 + client), key: keys.counterCode)
        let expected: AuthenticatedStatus.Outcome =
            switch (client, server) {
            case (0, 0): .ok
            case (0, 1..<20): .updated(counter: start.advanced(by: server), byte: serverByte)
            case (1...10, 0): .ok
            case (11..<20, 0): .calculateCode
            default: .deadlock
            }
        #expect(outcome == expected)
    }

    // MARK: Headers

    @Test(arguments: SignatureType.allCases) func `A code's header comes back with its factors`(type: SignatureType)
        throws
    {
        let count = type.rawValue.split(separator: "_").count
        let header = AuthenticationHeader(
            activationId: ExampleV4.activationId, applicationKey: ExampleV4.applicationKey,
            nonce: LabExample.nonceText, type: type, code: StrictBase64.encode(Data(count: 32 * count)))
        #expect(try AuthenticationHeader(parsing: header.value) == header)
        for wrong in [1, 2, 3, 4] where wrong != count {
            let twin = AuthenticationHeader(
                activationId: header.activationId, applicationKey: header.applicationKey, nonce: header.nonce,
                type: type, code: StrictBase64.encode(Data(count: 32 * wrong)))
            #expect(throws: ProtocolError.self) { try AuthenticationHeader(parsing: twin.value) }
        }
        #expect(throws: SignatureHeaderError.self) { try SignatureHeader(parsing: header.value) }
    }

    @Test func `Headers with an attribute that is missing or wrong are refused by its name`() throws {
        let header = AuthenticationHeader(
            activationId: ExampleV4.activationId, applicationKey: ExampleV4.applicationKey,
            nonce: LabExample.nonceText, type: .possession, code: StrictBase64.encode(Data(count: 32)))
        let names = [
            "pa_activation_id", "pa_application_key", "pa_nonce", "pa_auth_code_type", "pa_auth_code", "pa_version",
        ]
        for name in names {
            let missing = header.value.replacingOccurrences(of: name + "=", with: "x_\(name)=")
            #expect(throws: ProtocolError.missing(field: name)) { try AuthenticationHeader(parsing: missing) }
            let wrong = header.value.replacingOccurrences(of: name + "=\"", with: name + "=\"?")
            #expect(throws: ProtocolError.self) { try AuthenticationHeader(parsing: wrong) }
        }
        for value in [nil, "", "PowerAuth", "Basic a=\"b\""] {
            #expect(throws: ProtocolError.self) { try AuthenticationHeader(parsing: value) }
            #expect(throws: ProtocolError.self) { try TokenHeaderV4(parsing: value) }
            #expect(throws: ProtocolError.self) { try AeadHeader(parsing: value, scope: .application) }
        }
        let older = SignatureHeader(
            version: .v3_3, activationId: ExampleV4.activationId, applicationKey: ExampleV4.applicationKey,
            nonce: LabExample.nonceText, signatureType: .possession, signature: StrictBase64.encode(Data(count: 16)))
        #expect(throws: ProtocolError.invalidFormat(field: "pa_version", reason: "it must be 4.0")) {
            try AuthenticationHeader(parsing: older.value)
        }
    }

    @Test func `A header of encryption belongs to its scope`() throws {
        let application = AeadHeader(applicationKey: ExampleV4.applicationKey)
        let activation = AeadHeader(applicationKey: ExampleV4.applicationKey, activationId: ExampleV4.activationId)
        #expect(try AeadHeader(parsing: application.value, scope: .application) == application)
        #expect(try AeadHeader(parsing: activation.value, scope: .activation) == activation)
        #expect(throws: ProtocolError.unexpected(field: "activation_id")) {
            try AeadHeader(parsing: activation.value, scope: .application)
        }
        #expect(throws: ProtocolError.missing(field: "activation_id")) {
            try AeadHeader(parsing: application.value, scope: .activation)
        }
        #expect(throws: EncryptionHeaderError.versionInvalid) {
            try EncryptionHeader(parsing: application.value, scope: .application)
        }
        let older = EncryptionHeader(version: .v3_3, applicationKey: ExampleV4.applicationKey)
        #expect(throws: ProtocolError.self) { try AeadHeader(parsing: older.value, scope: .application) }
    }

    // MARK: Configuration and activation

    @Test(arguments: ExampleV4.suites)
    func `A configuration string has the master keys of its suites`(suite: CryptographySuite) throws {
        let master = try SuitePrivateKeys.generate(suite: suite).publicKeys
        var keys: [SdkConfigurationV4.KeyKind: Data] = [.p384: master.encoded.ecdsa]
        if let container = master.encoded.mldsa { keys[suite.name == .ecP384MLL3 ? .mldsa65 : .mldsa87] = container }
        let configuration = try SdkConfigurationV4(
            applicationKey: LabExample.applicationKeyText.base64Decoded,
            applicationSecret: ExampleV4.applicationSecret(), keys: keys)
        let read = try SdkConfigurationV4(configuration.string)
        #expect(read == configuration && "\(read)".contains(LabExample.applicationKeyText))
        #expect(try read.masterKeys(suite: suite) == master)
        for other in ExampleV4.suites where other != suite && other != .ecP384 {
            let name = other.name.lattice?.signature.rawValue ?? ""
            #expect(throws: ProtocolError.missing(field: "master key of \(name)")) { try read.masterKeys(suite: other) }
        }
        let without = try SdkConfigurationV4(
            applicationKey: configuration.applicationKey, applicationSecret: configuration.applicationSecret, keys: [:])
        #expect(throws: ProtocolError.missing(field: "master key of P-384")) { try without.masterKeys(suite: suite) }
        let bytes = configuration.string.base64Decoded
        for count in [0, 1, 17, 34, 36, bytes.count - 1] {
            #expect(throws: ProtocolError.self) { try SdkConfigurationV4(bytes.prefix(count).base64) }
        }
        #expect(throws: ProtocolError.self) { try SdkConfigurationV4((Data([2]) + bytes.dropFirst()).base64) }
    }

    @Test func `A configuration string of version 3 is read, and lacks the keys of version 4`() throws {
        let string = try MobileSdkConfiguration(
            applicationKey: counting(16, from: 0), applicationSecret: counting(16, from: 16),
            masterServerPublicKey: LabExample.masterKey().publicKey.compressed
        ).string
        let read = try SdkConfigurationV4(string)
        #expect(read.keys.keys.map(\.self) == [.p256])
        #expect(throws: ProtocolError.missing(field: "master key of P-384")) { try read.masterKeys(suite: .ecP384) }
    }

    @Test(arguments: ExampleV4.suites)
    func `An activation is exchanged: both sides have one secret, and know each other's keys`(
        suite: CryptographySuite
    ) throws {
        let client = try SharedSecretClient(suite: suite)
        let device = try SuitePrivateKeys.generate(suite: suite)
        let request = KeyExchangeRequestV4(
            sharedSecretRequest: client.request, devicePublicKeys: device.publicKeys.encoded, activationName: "name",
            activationOtp: "one-time", platform: "iOS", deviceInfo: "iPhone", extras: "extras")
        let received = try JSONDecoder().decode(KeyExchangeRequestV4.self, from: JSONEncoder().encode(request))
        var dumped = ""
        dump(received, to: &dumped)
        #expect(received == request && !dumped.contains("one-time"))

        let (exchanged, secret) = try SharedSecretServer.answer(received.sharedSecretRequest, suite: suite)
        let server = try SuitePrivateKeys.generate(suite: suite)
        let response = KeyExchangeResponseV4(
            sharedSecretResponse: exchanged, serverPublicKeys: server.publicKeys.encoded,
            activationId: ExampleV4.activationId, counter: .random())
        let answer = try JSONDecoder().decode(KeyExchangeResponseV4.self, from: JSONEncoder().encode(response))
        #expect(answer == response)
        #expect(try client.secret(of: answer.sharedSecretResponse) == secret)
        let fingerprints = try [
            Fingerprint.v4(
                device: device.publicKeys, activationId: answer.activationId,
                server: SuitePublicKeys(answer.serverPublicKeys, suite: suite)),
            Fingerprint.v4(
                device: SuitePublicKeys(received.devicePublicKeys, suite: suite), activationId: response.activationId,
                server: server.publicKeys),
        ]
        #expect(fingerprints[0] == fingerprints[1])
    }

    @Test func `An answer to an activation without an id, or with a short counter, is refused`() throws {
        let keys = #""serverPublicKeys":{"ecdsa":"AA=="},"sharedSecretResponse":{"salt":"","encapsulatedKeys":[]}"#
        let counter = StrictBase64.encode(Data(count: 32))
        for members in [
            #""activationId":"","ctrData":"\#(counter)""#, #""activationId":"a","ctrData":"AA==""#,
            #""activationId":"a","ctrData":"?""#, #""activationId":"a""#,
        ] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(KeyExchangeResponseV4.self, from: "{\(keys),\(members)}".utf8Data)
            }
        }
    }

    @Test func `A key of the vault comes back, and a short one is refused`() throws {
        for identifier in VaultUnlockRequestV4.KeyIdentifier.allCases {
            for reason in VaultUnlockRequestV4.Reason.allCases {
                let request = VaultUnlockRequestV4(keyIdentifier: identifier, reason: reason)
                let data = try JSONEncoder().encode(request)
                #expect(try JSONDecoder().decode(VaultUnlockRequestV4.self, from: data) == request)
                #expect(
                    try JSONDecoder().decode([String: String].self, from: data)
                        == ["keyIdentifier": identifier.rawValue, "reason": reason.rawValue])
            }
        }
        typealias Response = VaultUnlockResponseV4<KeyPurpose.DeviceKeyEncryption>
        let response = Response(key: .random())
        #expect(try JSONDecoder().decode(Response.self, from: JSONEncoder().encode(response)) == response)
        for text in [#"{}"#, #"{"vaultEncryptionKey":"AA=="}"#, #"{"vaultEncryptionKey":"?"}"#] {
            #expect(throws: (any Error).self) { try JSONDecoder().decode(Response.self, from: text.utf8Data) }
        }
    }

    // MARK: Without a connection

    @Test func `A payload for one device has its known code`() throws {
        let key = try ExampleV4.keys().utility.personalizedData
        let payload = try OfflinePayloadV4(
            data: "A1*A100CZK\nHello", nonce: LabExample.nonceText, personalized: key)
        // Of an independent implementation in Python.
        #expect(payload.text.hasSuffix("\n2nm/SwUcIKfh4ryzL99TTdl4wm9qflrVXnDB5ITRqEd0="))
        let read = try OfflinePayloadV4(payload.text)
        #expect(read == payload && read.isAuthentic(key: key) && !read.isAuthentic(key: .random()))
        #expect(!read.isSigned(by: try P384PrivateKey.generate().publicKey))
        let changed = try OfflinePayloadV4(payload.text.replacingOccurrences(of: "A100", with: "A900"))
        #expect(!changed.isAuthentic(key: key))
    }

    @Test func `A payload for any device is signed by the master key`() throws {
        let master = try P384PrivateKey.generate()
        let payload = try OfflinePayloadV4(data: "A1*A100CZK", oneTimeCode: "12345678", master: master)
        let read = try OfflinePayloadV4(payload.text)
        #expect(read == payload && read.data.hasSuffix("\n12345678") && read.isSigned(by: master.publicKey))
        #expect(!read.isSigned(by: try P384PrivateKey.generate().publicKey))
        #expect(!read.isAuthentic(key: .random()))
        let nonce = LabExample.nonceText
        for text in ["", "a\nb", "a\n\(nonce)\n1AA==", "a\n\(nonce)\n0", "a\n\(nonce)\n2?", "a\nAA==\n2AA=="] {
            #expect(throws: ProtocolError.self) { try OfflinePayloadV4(text) }
        }
        #expect(throws: ProtocolError.self) { try OfflinePayloadV4(data: "a", nonce: "", master: master) }
    }
}
