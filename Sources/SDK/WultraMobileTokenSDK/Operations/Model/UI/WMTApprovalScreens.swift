// SPDX-License-Identifier: Apache-2.0

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

    private enum Key: String, CodingKey { case type, heading, message, items, approvalType }

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

/// What is shown after the user approved (mobile-token.md, section 7.7). Further content depends on its class.
open class WMTPostApprovalScreen: Decodable {
    /// The kind of the screen.
    public enum ScreenType: String, Codable, Sendable {
        /// ``WMTPostApprovalScreenReview``.
        case review = "REVIEW"
        /// ``WMTPostApprovalScreenRedirect``.
        case redirect = "MERCHANT_REDIRECT"
        /// ``WMTPostApprovalScreenGeneric``.
        case generic = "GENERIC"
        /// ``WMTPostApprovalScreenGeneric`` of a kind that this version does not know.
        case unknown
    }

    private enum Key: String, CodingKey { case type, heading, message }

    /// The kind.
    public let type: ScreenType
    /// Heading.
    public let heading: String
    /// Text.
    public let message: String

    /// Reads what every screen has.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        type = ScreenType(rawValue: try container.decode(String.self, forKey: .type)) ?? .unknown
        heading = try container.decode(String.self, forKey: .heading)
        message = try container.decode(String.self, forKey: .message)
    }
}

private enum PayloadKey: String, CodingKey { case payload }

/// A screen that shows what was approved.
public final class WMTPostApprovalScreenReview: WMTPostApprovalScreen {
    /// What is shown.
    public struct Payload: Decodable {
        private enum Key: String, CodingKey { case attributes }

        /// One line each; empty when one of them cannot be read.
        public let attributes: [WMTOperationAttribute]

        /// Reads the payload.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            attributes = container.lenient([AnyAttribute].self, forKey: .attributes)?.map(\.attribute) ?? []
        }
    }

    /// What is shown.
    public let payload: Payload

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        payload = try decoder.container(keyedBy: PayloadKey.self).decode(Payload.self, forKey: .payload)
        try super.init(from: decoder)
    }
}

/// A screen that leads back to a shop.
public final class WMTPostApprovalScreenRedirect: WMTPostApprovalScreen {
    /// Where it leads.
    public struct Payload: Codable, Equatable, Sendable {
        /// Text of the button.
        public let redirectText: String
        /// Where the button leads.
        public let redirectUrl: String
        /// Seconds after which the app opens it automatically.
        public let countdown: Int
    }

    /// Where it leads.
    public let payload: Payload

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        payload = try decoder.container(keyedBy: PayloadKey.self).decode(Payload.self, forKey: .payload)
        try super.init(from: decoder)
    }
}

/// A screen whose content the app and its back end agree on.
public final class WMTPostApprovalScreenGeneric: WMTPostApprovalScreen {
    /// Any JSON; null if a screen of an unknown kind has none.
    public let payload: WMTJSONValue

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PayloadKey.self)
        let isGeneric = try AnyPostApprovalScreen.type(from: decoder) == .generic
        payload =
            isGeneric || container.contains(.payload)
            ? try container.decode(WMTJSONValue.self, forKey: .payload) : .null
        try super.init(from: decoder)
    }
}

/// A screen of the class that its type asks for; one of an unknown kind is generic (mobile-token.md, section 24, item 5).
struct AnyPostApprovalScreen: Decodable {
    private enum Key: String, CodingKey { case type }

    let screen: WMTPostApprovalScreen

    static func type(from decoder: any Decoder) throws -> WMTPostApprovalScreen.ScreenType {
        let name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
        return WMTPostApprovalScreen.ScreenType(rawValue: name) ?? .unknown
    }

    init(from decoder: any Decoder) throws {
        screen =
            switch try Self.type(from: decoder) {
            case .review: try WMTPostApprovalScreenReview(from: decoder)
            case .redirect: try WMTPostApprovalScreenRedirect(from: decoder)
            case .generic, .unknown: try WMTPostApprovalScreenGeneric(from: decoder)
            }
    }
}
