/// How the screen of an operation shall look (mobile-token.md, section 7.5).
public final class WMTOperationUIData: Decodable {
    private enum Key: String, CodingKey {
        case flipButtons, blockApprovalOnCall, preApprovalScreen, postApprovalScreen, templates
    }

    /// Whether the buttons to approve and to reject change places; nil when the server does not say.
    public let flipButtons: Bool?
    /// Whether the operation must not be approved during a phone call; nil when the server does not say.
    public let blockApprovalOnCall: Bool?
    /// What is shown before the user can approve.
    public let preApprovalScreen: WMTPreApprovalScreen?
    /// What is shown after the user approved.
    public let postApprovalScreen: WMTPostApprovalScreen?
    /// How the operation is laid out in the list and on its own screen.
    public let templates: WMTTemplates?

    /// Reads the data.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        flipButtons = container.lenient(Bool.self, forKey: .flipButtons)
        blockApprovalOnCall = container.lenient(Bool.self, forKey: .blockApprovalOnCall)
        preApprovalScreen = container.lenient(WMTPreApprovalScreen.self, forKey: .preApprovalScreen)
        postApprovalScreen = container.lenient(AnyPostApprovalScreen.self, forKey: .postApprovalScreen)?.screen
        templates = container.lenient(WMTTemplates.self, forKey: .templates)
    }
}
