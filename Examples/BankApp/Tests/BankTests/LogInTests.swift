// SPDX-License-Identifier: Apache-2.0

import LabTesting
import Testing

/// Each test has a phone, a watch and a server of its own, from `lab.yaml`.
@Suite("Log in", .lab())
struct LogInTests {
    @Test func `The widget shows a payment once the user has logged in`() async throws {
        let lab = try Lab.current
        try await lab.activate()
        let payment = try await lab.server.call(CreatePayment())
        #expect(try await lab.widget.failure(of: "showPayments").name == "notLoggedIn")
        try await lab.bank.call("logIn", ["pin": "1234"])
        let payments = try await lab.widget.call("showPayments", as: [Payment].self)
        #expect(payments.map(\.id) == [payment.operationId])
    }

    @Test func `The watch shows what the phone has sent, also when it comes into reach later`() async throws {
        let lab = try Lab.current
        try await lab.activate()
        try await lab.pairing.call(LinkDown())
        try await lab.bank.call("logIn", ["pin": "1234"])
        #expect(try await lab.companion.failure(of: "showPayments").name == "notLoggedIn")
        try await lab.pairing.call(LinkUp())
        try await lab.eventually("the token is on the watch") {
            try await lab.companion.call(HasLocalToken { $0.name = "payments" })
        }
        try await lab.companion.call("showPayments")
    }

    @Test func `A log-in without network fails, and the next one succeeds`() async throws {
        let lab = try Lab.current
        try await lab.activate()
        try await lab.during(GoOffline(), by: "phone") {
            _ = try await lab.bank.failure(of: "logIn", ["pin": "1234"])
        }
        try await lab.bank.call("logIn", ["pin": "1234"])
    }
}

/// A payment, as the widget shows it.
private struct Payment: Decodable {
    let id: String
}

extension Lab {
    /// Gives the bank's app an active activation with the PIN 1234.
    func activate() async throws {
        let code = try await self.server.call(InitActivation { $0.userId = "alice" })
        try await self.bank.call(CreateActivation { $0.activationCode = code.activationCode })
        try await self.bank.call(PersistActivation { $0.password = "1234" })
        try await self.server.call(CommitActivation { $0.activationId = code.activationId })
    }
}
