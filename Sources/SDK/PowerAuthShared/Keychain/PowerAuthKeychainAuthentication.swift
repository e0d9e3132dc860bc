public import LocalAuthentication
import SimulatedDevice

/// How the owner of the device is asked when a protected item is read (sdk.md, section 5.5).
///
/// Immutable. Thread rule: any thread.
public final class PowerAuthKeychainAuthentication: Sendable {
    /// Text of the dialog, or nil.
    public let prompt: String?
    /// A conversation of the application, or nil; wins over the prompt.
    public let context: LAContext?

    /// - Parameter prompt: text of the dialog.
    public convenience init(prompt: String) {
        self.init(prompt: prompt, context: nil)
    }

    /// - Parameter context: a conversation of the application, which may have been confirmed already.
    public convenience init(context: LAContext) {
        self.init(prompt: nil, context: context)
    }

    package init(prompt: String?, context: LAContext?) {
        self.prompt = prompt
        self.context = context
    }

    /// The conversation to read with; nil when there is neither text nor context, or no dialog may open.
    ///
    /// - Parameter service: the service of the app, for a conversation with the given text.
    func conversation(_ service: AuthenticationService?) -> LAContext? {
        if let context { return context.interactionNotAllowed ? nil : context }
        return prompt.map { LAContext(service: service, prompt: $0) }
    }
}
