// SPDX-License-Identifier: Apache-2.0

import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    @Suite("From activation to token, on phone, extension and watch")
    struct QuickstartTests {
        @Test func `The extension sees what the app stores, and the watch sees what it sends`() async throws {
            try await Lab.run { lab in
                let code = try lab.activate()
                #expect(try lab.status(of: code).activationStatus == .active)

                let body = #"{"amount":"100"}"#
                let signature = try lab.main.call(
                    RequestSignature {
                        $0.method = .post
                        $0.uriId = "/payment"
                        $0.body = body
                        $0.password = password
                    })
                let verified = try lab.server.call(
                    VerifySignature {
                        $0.header = signature.value
                        $0.method = .post
                        $0.uriId = "/payment"
                        $0.body = body
                    })
                #expect(verified.signatureValid)
                let altered = try lab.server.call(
                    VerifySignature {
                        $0.header = signature.value
                        $0.method = .post
                        $0.uriId = "/payment"
                        $0.body = body + " "
                    })
                #expect(!altered.signatureValid)

                let token = try lab.main.call(
                    RequestAccessToken {
                        $0.name = "accounts"
                        $0.password = password
                    })
                #expect(try lab.widget.call(ActivationIdentifier()) == code.activationId)
                let seen = try lab.widget.call(LocalToken { $0.name = "accounts" })
                #expect(seen?.tokenIdentifier == token.tokenIdentifier)

                #expect(try lab.main.call(SendActivationStatusToWatch { $0.delivery = .immediate }))
                #expect(
                    try lab.main.call(
                        SendTokenToWatch {
                            $0.name = "accounts"
                            $0.delivery = .immediate
                        }))
                #expect(try lab.companion.call(ActivationIdentifier()) == code.activationId)
                for holder in [lab.main, lab.widget, lab.companion] {
                    let header = try #require(try holder.call(GenerateHeader { $0.name = "accounts" }))
                    #expect(try lab.server.call(ValidateToken { $0.header = header.value }).tokenValid)
                }
            }
        }

        @Test func `The extension cannot ask the server for a token`() async throws {
            try await Lab.run { lab in
                try lab.activate()
                let error = try lab.widget.failure(
                    of: RequestAccessToken {
                        $0.name = "none"
                        $0.password = password
                    })
                #expect(error.name == "invalidToken")
                #expect(error.code == 14)
            }
        }

        @Test func `A signature header is accepted once`() async throws {
            try await Lab.run { lab in
                try lab.activate()
                let signature = try lab.main.call(
                    RequestSignature {
                        $0.method = .get
                        $0.uriId = "/accounts"
                    })
                let request = VerifySignature {
                    $0.header = signature.value
                    $0.method = .get
                    $0.uriId = "/accounts"
                }
                #expect(try lab.server.call(request).signatureValid)
                #expect(try !lab.server.call(request).signatureValid)
            }
        }
    }
}
