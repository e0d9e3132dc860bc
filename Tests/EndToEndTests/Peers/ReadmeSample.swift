import LabTesting
import Testing

@Test func theWalletSeesTheActivation() async throws {
    try await TestInstance.run { lab in
        let code = try lab.server.call(InitActivation.self, .init(userId: "alice"))
        _ = try lab.main.call(CreateActivation.self, .init(activationCode: code.activationCode))
        _ = try lab.main.call(PersistActivation.self, .init(password: "1234"))
        #expect(try lab.wallet.call(HasValidActivation.self))
    }
}
