// SPDX-License-Identifier: Apache-2.0

/// How the user confirms a screen before the approval.
public enum WMTPreApprovalScreenConfirmAction: String, Codable, Sendable {
    /// By moving a slider.
    case slider = "SLIDER"
}

/// What is shown before the user can approve (mobile-token.md, section 7.6).
open class WMTPreApprovalScreen: Codable {
    /// The kind of the screen.
    public enum ScreenType: String, Codable, CaseIterable, Sendable {
        /// Something to know.
        case info = "INFO"
        /// Something to beware of.
        case warning = "WARNING"
        /// The code of the second channel is to be scanned.
        case qr = "QR_SCAN"
        /// A kind that this version does not know.
        case unknown
    }

    private enum CodingKeys: String, CodingKey { case type, heading, message, items, approvalType }

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

    /// - Parameters:
    ///   - type: the kind.
    ///   - heading: heading.
    ///   - message: text.
    ///   - items: points below the text.
    ///   - approvalType: how the user confirms the screen; nil for the usual button.
    public init(
        type: ScreenType, heading: String, message: String, items: [String]? = nil,
        approvalType: WMTPreApprovalScreenConfirmAction?
    ) {
        self.type = type
        self.heading = heading
        self.message = message
        self.items = items
        self.approvalType = approvalType
    }

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let type = ScreenType(rawValue: try container.decode(String.self, forKey: .type)) ?? .unknown
        // The server makes a screen without texts of a risk flag (mobile-token.md, section 24, item 4).
        func text(_ key: CodingKeys) throws -> String {
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

/// What is shown after the user approved (mobile-token.md, section 7.7). The content depends on its class.
///
/// It is written in the server's format (mobile-token.md, section 7.10); a subclass of the app writes more keys in
/// `encode(to:)`, and calls super. Thread rule: any thread; a screen never changes.
open class WMTPostApprovalScreen: Codable {
    /// The kind of the screen.
    public enum ScreenType: String, Codable, CaseIterable, Sendable {
        /// ``WMTPostApprovalScreenReview``.
        case review = "REVIEW"
        /// ``WMTPostApprovalScreenRedirect``.
        case redirect = "MERCHANT_REDIRECT"
        /// ``WMTPostApprovalScreenGeneric``.
        case generic = "GENERIC"
        /// ``WMTPostApprovalScreenGeneric`` of a kind that this version does not know.
        case unknown
    }

    private enum Key: String, CodingKey { case type }

    /// The kind.
    public let type: ScreenType

    /// - Parameter type: the kind.
    public init(type: ScreenType) { self.type = type }

    /// Reads what every screen has.
    public required init(from decoder: any Decoder) throws { type = try WMTPostApprovalScreen.type(from: decoder) }

    /// Writes what every screen has.
    open func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
    }

    fileprivate static func type(from decoder: any Decoder) throws -> ScreenType {
        let name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .type)
        return ScreenType(rawValue: name) ?? .unknown
    }
}

private enum ContentKey: String, CodingKey { case heading, message, payload }

/// What the screens of each class have, in JSON.
private struct ScreenContent<Payload: Codable>: Codable {
    typealias CodingKeys = ContentKey

    let heading: String
    let message: String
    let payload: Payload
}

/// A screen that shows what was approved.
open class WMTPostApprovalScreenReview: WMTPostApprovalScreen {
    /// Heading.
    public let heading: String
    /// Text.
    public let message: String
    /// What is shown.
    public let payload: WMTReviewPostApprovalScreenPayload

    /// - Parameters:
    ///   - heading: heading.
    ///   - message: text.
    ///   - payload: what is shown.
    ///   - type: the kind, `review`.
    public init(heading: String, message: String, payload: WMTReviewPostApprovalScreenPayload, type: ScreenType) {
        self.heading = heading
        self.message = message
        self.payload = payload
        super.init(type: type)
    }

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        let content = try ScreenContent<WMTReviewPostApprovalScreenPayload>(from: decoder)
        (heading, message, payload) = (content.heading, content.message, content.payload)
        try super.init(from: decoder)
    }

    /// Writes the screen.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        try ScreenContent(heading: heading, message: message, payload: payload).encode(to: encoder)
    }
}

/// A screen that leads back to a shop.
open class WMTPostApprovalScreenRedirect: WMTPostApprovalScreen {
    /// Heading.
    public let heading: String
    /// Text.
    public let message: String
    /// Where it leads.
    public let payload: WMTRedirectPostApprovalScreenPayload

    /// - Parameters:
    ///   - heading: heading.
    ///   - message: text.
    ///   - payload: where it leads.
    ///   - type: the kind, `redirect`.
    public init(heading: String, message: String, payload: WMTRedirectPostApprovalScreenPayload, type: ScreenType) {
        self.heading = heading
        self.message = message
        self.payload = payload
        super.init(type: type)
    }

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        let content = try ScreenContent<WMTRedirectPostApprovalScreenPayload>(from: decoder)
        (heading, message, payload) = (content.heading, content.message, content.payload)
        try super.init(from: decoder)
    }

    /// Writes the screen.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        try ScreenContent(heading: heading, message: message, payload: payload).encode(to: encoder)
    }
}

/// A screen whose content the app and its back end agree on.
open class WMTPostApprovalScreenGeneric: WMTPostApprovalScreen {
    /// Heading.
    public let heading: String
    /// Text.
    public let message: String
    /// Any JSON; null if a screen of an unknown kind has none.
    public let payload: WMTJSONValue

    /// Makes a screen of the kind `generic`.
    /// - Parameters:
    ///   - heading: heading.
    ///   - message: text.
    ///   - payload: any JSON.
    public init(heading: String, message: String, payload: WMTJSONValue) {
        self.heading = heading
        self.message = message
        self.payload = payload
        super.init(type: .generic)
    }

    /// Reads a screen.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ContentKey.self)
        let isGeneric = try WMTPostApprovalScreen.type(from: decoder) == .generic
        heading = try container.decode(String.self, forKey: .heading)
        message = try container.decode(String.self, forKey: .message)
        payload =
            isGeneric || container.contains(.payload)
            ? try container.decode(WMTJSONValue.self, forKey: .payload) : .null
        try super.init(from: decoder)
    }

    /// Writes the screen.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        try ScreenContent(heading: heading, message: message, payload: payload).encode(to: encoder)
    }
}

/// A screen of the class that its type asks for; one of an unknown kind is generic (mobile-token.md, section 24, item 5).
struct AnyPostApprovalScreen: Decodable {
    let screen: WMTPostApprovalScreen

    init(from decoder: any Decoder) throws {
        screen =
            switch try WMTPostApprovalScreen.type(from: decoder) {
            case .review: try WMTPostApprovalScreenReview(from: decoder)
            case .redirect: try WMTPostApprovalScreenRedirect(from: decoder)
            case .generic, .unknown: try WMTPostApprovalScreenGeneric(from: decoder)
            }
    }
}
