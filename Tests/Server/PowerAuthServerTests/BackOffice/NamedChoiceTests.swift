import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The words of the back office (server.md, section 2.3).
@Suite("Choices are spelled as their cases are", .endsInTime)
struct NamedChoiceTests {
    /// Every type whose words the API reads or writes.
    private static let types: [any NamedChoice.Type] = [
        ActivationState.self, ActivationProtocol.self, CommitPhase.self, OtpValidationMode.self, SignatureType.self,
        RecoveryCodeStatus.self, RecoveryPukStatus.self, ECDSAFormat.self, CallbackType.self, OperationStatus.self,
    ]

    @Test("Each case has the word of its own name, is found by it, and by no other", arguments: types.indices)
    func words(index: Int) {
        func check<Choice: NamedChoice>(_ type: Choice.Type) {
            for choice in Choice.allCases {
                // `onKeyExchange` is ON_KEY_EXCHANGE.
                #expect(choice.name.replacing("_", with: "").uppercased() == "\(choice)".uppercased())
                #expect(Choice(name: choice.name).map { "\($0)" } == "\(choice)")
                #expect(Choice(name: choice.name + "_") == nil)
            }
            #expect(Set(Choice.names).count == Choice.allCases.count)
        }
        check(Self.types[index])
    }
}
