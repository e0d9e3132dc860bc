/// How the user confirms a screen before the approval.
public enum WMTPreApprovalScreenConfirmAction: String, Codable, Sendable {
    /// By moving a slider.
    case slider = "SLIDER"
}

/// What is shown before the user can approve (mobile-token.md, section 7.6).
public final class WMTPreApprovalScreen: Decodable, Sendable {
    /// The kind of the screen.
    public enum ScreenType: String, Codable, Sendable {
        /// Something to know.
        case info = "INFO"
        /// Something to beware of.
        case warning = "WARNING"
        /// The code of the second channel is to be scanned.
        case qrScan = "QR_SCAN"
        /// A kind that this version does not know.
        case unknown
    }

    private enum Key: String, CodingKey {
        case type, heading, message, items, approvalType
    }

    /// The kind.
    public let type: ScreenType
    /// Heading; empty when the server sends none for a kind that the app knows.
    public let heading: String
    /// Text; empty when the server sends none for a kind that the app knows.
    public let message: String
    /// Points below the text.
    public let items: [String]?
    /// How the user confirms the screen; nil for the usual button.
    public let approvalType: WMTPreApprovalScreenConfirmAction?

    /// Reads a screen.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let type = ScreenType(rawValue: try container.decode(String.self, forKey: .type)) ?? .unknown
        // The server makes a screen without texts of a risk flag (mobile-token.md, section 24, item 4).
        func text(_ key: Key) throws -> String {
            type == .unknown
                ? try container.decode(String.self, forKey: key)
                : try container.decodeIfPresent(String.self, forKey: key) ?? ""
        }
        self.type = type
        heading = try text(.heading)
        message = try text(.message)
        items = container.lenient([String].self, forKey: .items)
        approvalType = container.lenient(WMTPreApprovalScreenConfirmAction.self, forKey: .approvalType)
    }
}
