import LabKit
import LabTesting
import Testing

@Suite("From activation to token, on phone, extension and watch")
struct QuickstartTests {
    @Test("What the app stores is seen by the extension, and what it sends by the watch")
    func quickstart() async throws {
        try await TestInstance.run { lab in
            let code = try lab.activate()
            #expect(try lab.status(of: code).activationStatus == "ACTIVE")

            let body = #"{"amount":"100"}"#
            let signature = try lab.main.call(
                RequestSignature.self, .init(method: "POST", uriId: "/payment", body: body, password: password))
            let verified = try lab.server.call(
                VerifySignature.self,
                .init(header: signature.value, method: "POST", uriId: "/payment", body: body))
            #expect(verified.signatureValid)
            let altered = try lab.server.call(
                VerifySignature.self,
                .init(header: signature.value, method: "POST", uriId: "/payment", body: body + " "))
            #expect(!altered.signatureValid)

            let token = try lab.main.call(RequestAccessToken.self, .init(name: "accounts", password: password))
            #expect(try lab.widget.call(ActivationIdentifier.self) == code.activationId)
            let seen = try lab.widget.call(LocalToken.self, .init(name: "accounts"))
            #expect(seen?.tokenIdentifier == token.tokenIdentifier)

            #expect(try lab.main.call(SendActivationStatusToWatch.self, .init(delivery: .immediate)))
            #expect(try lab.main.call(SendTokenToWatch.self, .init(name: "accounts", delivery: .immediate)))
            #expect(try lab.companion.call(ActivationIdentifier.self) == code.activationId)
            for holder in [lab.main, lab.widget, lab.companion] {
                let header = try #require(try holder.call(GenerateHeader.self, .init(name: "accounts")))
                #expect(try lab.server.call(ValidateToken.self, .init(header: header.value)).tokenValid)
            }
        }
    }

    @Test("The extension cannot ask the server for a token")
    func extensionOnlyReads() async throws {
        try await TestInstance.run { lab in
            try lab.activate()
            let error = try lab.widget.error(of: RequestAccessToken.self, .init(name: "none", password: password))
            #expect(error.name == "invalidToken")
            #expect(error.code == 14)
        }
    }

    @Test("A signature header is accepted once")
    func replay() async throws {
        try await TestInstance.run { lab in
            try lab.activate()
            let signature = try lab.main.call(RequestSignature.self, .init(method: "GET", uriId: "/accounts"))
            let request = VerifySignature.Arguments(header: signature.value, method: "GET", uriId: "/accounts")
            #expect(try lab.server.call(VerifySignature.self, request).signatureValid)
            #expect(try !lab.server.call(VerifySignature.self, request).signatureValid)
        }
    }
}
