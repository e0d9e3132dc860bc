import LabTesting
import Testing

@Test("The wallet sees the activation")
func theWalletSeesTheActivation() async throws {
    try await TestInstance.run { lab in
        let code = try lab.server.call(InitActivation { $0.userId = "alice" })
        try lab.main.call(CreateActivation { $0.activationCode = code.activationCode })
        try lab.main.call(PersistActivation { $0.password = "1234" })
        #expect(try lab.wallet.call(HasValidActivation()))
    }
}
