// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, sections 6, 16 and 21.
@Suite("Sessions: activation", .endsInTime)
struct SessionActivationTests {
    @Test func `A new session is empty`() throws {
        let session = try ClientFixture().session
        #expect(session.hasValidSetup && session.canStartActivation)
        #expect(!session.hasPendingActivation && !session.hasValidActivation)
        #expect(session.protocolVersion == .V3)
    }

    @Test func `An invalid setup makes everything impossible`() throws {
        let session = try ClientFixture(externalEncryptionKey: Data(count: 15)).session
        #expect(!session.hasValidSetup && !session.canStartActivation && !session.hasValidActivation)
        #expect(session.startActivation(PowerAuthCoreActivationStep1Param()) == nil)
        session.resetSession(true)
        #expect(!session.hasValidSetup, "a reset does not make a setup valid")
        #expect(!session.deserializeState(Data([0x50, 0x41, 0x00])))
        #expect(!session.hasValidSetup)
    }

    @Test func `Fingerprint and identifier are known from the response on`() throws {
        let fixture = try ClientFixture()
        let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        #expect(fixture.session.hasPendingActivation && fixture.session.activationIdentifier == nil)
        let response = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        let result = try #require(fixture.session.validateActivationResponse(response))
        let device = try PublicKey(encoded: StrictBase64.decode(started.devicePublicKey, field: ""))
        let expected = Fingerprint.v3(
            device: device, activationId: fixture.server.activationId, server: fixture.server.serverKey.publicKey)
        #expect(result.activationFingerprint == expected)
        #expect(fixture.session.activationFingerprint == expected)
        #expect(fixture.session.completeActivation(fixture.keys()))
        #expect(fixture.session.activationFingerprint == expected)
        #expect(fixture.session.activationIdentifier == fixture.server.activationId)
        #expect(fixture.session.hasValidActivation)
    }

    @Test func `Codes and their signatures are checked`() throws {
        let fixture = try ClientFixture()
        let code = ActivationCode.generate()
        let signature = StrictBase64.encode(try code.signature(by: fixture.server.masterKey))
        let other = StrictBase64.encode(try code.signature(by: .generate()))
        #expect(PowerAuthCoreOtpUtil.parse(fromActivationCode: "AAAAA-AAAAA-AAAAA-AAAAB") == nil)
        let codes: [(ActivationCode?, String?, PowerAuthCoreErrorCode?)] = [
            (nil, nil, nil), (nil, "", nil), (code, nil, nil), (code, signature, nil), (code, other, .encryption),
            (nil, signature, .encryption), (ActivationCode.generate(), signature, .encryption),
        ]
        for (code, signature, expected) in codes {
            var machine = try SessionMachine(
                setup: #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration)))
            do {
                _ = try machine.startActivation(code: code, signature: signature)
                #expect(expected == nil)
                #expect(machine.hasPendingActivation)
            } catch {
                #expect(error == expected)
                #expect(machine.canStartActivation, "a refused start leaves the session empty")
            }
        }
    }

    @Test func `Calls are refused in wrong states`() throws {
        let fixture = try ClientFixture()
        let session = fixture.session
        let param = PowerAuthCoreActivationStep1Param()
        let response = PowerAuthCoreActivationStep2Param(activationId: "a", serverPublicKey: "b", ctrData: "c")
        #expect(session.validateActivationResponse(response) == nil && !session.completeActivation(fixture.keys()))
        #expect(fixture.sign(.possession) == nil)

        let started = try #require(session.startActivation(param))
        #expect(session.startActivation(param) == nil && !session.completeActivation(fixture.keys()))
        #expect(fixture.sign(.possession) == nil)

        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        #expect(session.validateActivationResponse(answer) != nil)
        #expect(session.startActivation(param) == nil && session.validateActivationResponse(answer) == nil)
        #expect(fixture.sign(.possession) == nil)

        #expect(session.completeActivation(fixture.keys()))
        #expect(session.startActivation(param) == nil && session.validateActivationResponse(answer) == nil)
        #expect(!session.completeActivation(fixture.keys()))
        #expect(try fixture.accepted(.possession_Knowledge), "the activation still works")
    }

    @Test func `Reset at any step allows a new activation`() throws {
        let fixture = try ClientFixture()
        for step in 1...3 {
            let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
            if step >= 2 {
                let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
                #expect(fixture.session.validateActivationResponse(answer) != nil)
            }
            if step == 3 { #expect(fixture.session.completeActivation(fixture.keys())) }
            fixture.session.resetSession(false)
            #expect(fixture.session.canStartActivation)
            #expect(fixture.session.activationIdentifier == nil && fixture.session.activationFingerprint == nil)
        }
        try fixture.activate()
        #expect(try fixture.accepted(.possession_Knowledge))
    }

    @Test func `Wrong parameters keep a pending activation, wrong keys end it`() throws {
        let fixture = try ClientFixture()
        let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        let good = (answer.serverPublicKey, answer.ctrData)
        for field in [\PowerAuthCoreActivationStep2Param.activationId, \.serverPublicKey, \.ctrData] {
            let value = answer[keyPath: field]
            answer[keyPath: field] = ""
            #expect(fixture.session.validateActivationResponse(answer) == nil)
            #expect(fixture.session.hasPendingActivation)
            answer[keyPath: field] = value
        }
        answer.activationRecovery = PowerAuthCoreRecoveryData(
            recoveryCode: "R:EZEJG-RD4GK-7OLKN-MYGBQ", puk: "7165461507")
        #expect(fixture.session.validateActivationResponse(answer) == nil && fixture.session.hasPendingActivation)
        answer.activationRecovery = nil

        answer.ctrData = StrictBase64.encode(Data(count: 15))
        #expect(fixture.session.validateActivationResponse(answer) == nil && fixture.session.canStartActivation)

        _ = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        answer.ctrData = good.1
        answer.serverPublicKey = StrictBase64.encode(Data([4]) + Data(repeating: 1, count: 64))
        #expect(fixture.session.validateActivationResponse(answer) == nil && fixture.session.canStartActivation)
    }

    @Test func `Unusable unlock keys may be corrected`() throws {
        let fixture = try ClientFixture()
        let started = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        #expect(fixture.session.validateActivationResponse(answer) != nil)
        for keys in [
            fixture.keys(password: nil), fixture.keys(password: "123"),
            PowerAuthCoreSignatureUnlockKeys(
                possessionUnlockKey: Data(count: 16), userPassword: PowerAuthCorePassword(string: "1234")),
            PowerAuthCoreSignatureUnlockKeys(
                possessionUnlockKey: ClientFixture.possessionKey, biometryUnlockKey: Data(count: 16),
                userPassword: PowerAuthCorePassword(string: "1234")),
        ] {
            #expect(!fixture.session.completeActivation(keys))
            #expect(fixture.session.hasPendingActivation)
        }
        #expect(fixture.session.completeActivation(fixture.keys()))
        #expect(try fixture.accepted(.possession_Knowledge))
    }

    @Test func `Setup is copied and describes itself`() throws {
        let fixture = try ClientFixture(externalEncryptionKey: Data(repeating: 7, count: 16))
        #expect(fixture.session.sessionSetup.configuration == (try fixture.server.configuration))
        #expect(fixture.session.sessionSetup.externalEncryptionKey == Data(repeating: 7, count: 16))
        #expect(fixture.session.applicationKey == StrictBase64.encode(ProtocolServer.applicationKey))
    }

    @Test(.verifies("sdk.md", "B-62")) func `A configuration text is built from its three parts, and checked`() {
        let built = PowerAuthCoreSessionSetup.buildConfiguration(
            appKey: "w4+hAeogFLTZjcSjPwbG2g==", appSecret: "Szls/7JWbKN+FAOijHcsPA==",
            publicKey:
                "BEEOwljSgItBIAnzr3f7K36s+KKoUzC8LE+K+7Dy0X6iAkcPXAjLP1KKPxdqyM/iihHAcW5x/WzJPCbtytcJo2w=")
        #expect(
            built
                == "ARDDj6EB6iAUtNmNxKM/BsbaEEs5bP+yVmyjfhQDoox3LDwBAUEEQQ7CWNKAi0EgCfOvd/srfqz4oqhTMLwsT4r7sPLRfqICRw9cCMs/Uoo/F2rIz+KKEcBxbnH9bMk8Ju3K1wmjbA=="
        )
        #expect(PowerAuthCoreSessionSetup.validateConfiguration(built ?? ""))
        #expect(!PowerAuthCoreSessionSetup.validateConfiguration(""))
        #expect(PowerAuthCoreSessionSetup(configuration: "AAAA") == nil)
    }
}
