// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import TestSupport
import Testing

@testable import PowerAuth2

@Suite("The object that describes an activation (sdk.md, section 12.12)", .endsInTime)
struct ActivationObjectTests {
    private static let code = "45AWJ-BVACS-SBWHS-ABANA"
    private static let signature = "MEUCIQ=="

    private func code(_ body: () throws -> Void) -> PowerAuthErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).powerAuthErrorCode
        }
    }

    @Test(.verifies("sdk.md", "B-54"))
    func `An activation by code has the code without its signature as identity, and may have a one-time password`()
        throws
    {
        for (text, signature) in [(Self.code, nil), (Self.code + "#" + Self.signature, Self.signature)] {
            let activation = try PowerAuthActivation(activationCode: text)
            #expect(activation.activationType == "CODE")
            #expect(activation.identityAttributes == ["code": Self.code])
            #expect(activation.activationCode?.activationCode == Self.code)
            #expect(activation.activationCode?.activationSignature == signature)
            #expect(activation.validate())
            #expect(activation.with(additionalActivationOtp: "1234") === activation)
            #expect(activation.additionalActivationOtp == "1234" && activation.validate())
        }
        #expect(
            code { _ = try PowerAuthActivation(activationCode: "45AWJ-BVACS-SBWHS-ABANB") } == .invalidActivationCode)
        #expect(code { _ = try PowerAuthActivation(activationCode: "") } == .invalidActivationCode)
        // The form for callers that chain with `?.`.
        let optional: PowerAuthActivation? = try PowerAuthActivation(activationCode: Self.code, name: "name", "")
        #expect(optional?.activationCode?.activationCode == Self.code && optional?.name == "name")
        #expect(code { _ = try PowerAuthActivation(activationCode: "", name: nil, "") } == .invalidActivationCode)
    }

    @Test(.verifies("sdk.md", "B-54"))
    func `A recovery has code without prefix and PUK as identity; an invalid code or PUK is refused`() throws {
        for prefix in ["", "R:"] {
            let activation = try PowerAuthActivation(recoveryCode: prefix + Self.code, recoveryPuk: "0123456789")
            #expect(activation.activationType == "RECOVERY")
            #expect(activation.identityAttributes == ["recoveryCode": Self.code, "puk": "0123456789"])
            #expect(activation.activationCode == nil)
        }
        #expect(
            code { _ = try PowerAuthActivation(recoveryCode: "bad", recoveryPuk: "0123456789") }
                == .invalidActivationCode)
        for puk in ["", "012345678", "01234567890", "012345678x"] {
            #expect(
                code { _ = try PowerAuthActivation(recoveryCode: Self.code, recoveryPuk: puk) }
                    == .invalidActivationCode)
        }
    }

    @Test(.verifies("sdk.md", "B-54"))
    func `An activation by an identity provider names its method; the verifier is optional, empty texts are refused`()
        throws
    {
        let plain = ["method": "oidc", "providerId": "abc", "code": "1", "nonce": "2"]
        let activation = try PowerAuthActivation(oidcProviderId: "abc", code: "1", nonce: "2", codeVerifier: nil)
        #expect(activation.activationType == "DIRECT")
        #expect(activation.identityAttributes == plain)
        let verified = try PowerAuthActivation(oidcProviderId: "abc", code: "1", nonce: "2", codeVerifier: "3")
        #expect(verified.identityAttributes == plain.merging(["codeVerifier": "3"]) { $1 })
        #expect(
            code { _ = try PowerAuthActivation(oidcProviderId: "", code: "1", nonce: "2") } == .invalidActivationCode)
        #expect(
            code { _ = try PowerAuthActivation(oidcProviderId: "a", code: "1", nonce: "2", codeVerifier: "") }
                == .invalidActivationCode)
    }

    @Test(.verifies("sdk.md", "B-54"))
    func `Custom attributes, extras and name are kept, and every setter gives the same object`() throws {
        let activation = try PowerAuthActivation(identityAttributes: ["username": "eva"], name: "first")
        #expect(activation.activationType == "CUSTOM")
        #expect(activation.identityAttributes == ["username": "eva"])
        #expect(activation.name == "first")
        let same = activation.with(activationName: "second").with(extras: "more").with(customAttributes: ["a": 1])
        #expect(same === activation)
        #expect(activation.name == "second" && activation.extras == "more")
        #expect(activation.customAttributes as? [String: Int] == ["a": 1])
        #expect(code { _ = try PowerAuthActivation(identityAttributes: [:]) } == .invalidActivationData)
    }

    @Test(.verifies("sdk.md", "B-54")) func `A one-time password belongs to an activation by code only`() throws {
        let others = [
            try PowerAuthActivation(recoveryCode: Self.code, recoveryPuk: "0123456789"),
            try PowerAuthActivation(identityAttributes: ["username": "eva"]),
        ]
        for activation in others {
            #expect(activation.validateAndGetError() == nil)
            activation.with(additionalActivationOtp: "1234")
            #expect(!activation.validate())
            #expect(activation.validateAndGetError()?.powerAuthErrorCode == .invalidActivationData)
        }
        let empty = try PowerAuthActivation(activationCode: Self.code).with(additionalActivationOtp: "")
        #expect(empty.validateAndGetError()?.powerAuthErrorCode == .invalidActivationData)
    }
}
