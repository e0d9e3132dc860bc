// SPDX-License-Identifier: Apache-2.0

/// What a screen after the approval shows, for the kinds whose content the SDK knows (mobile-token.md, section 7.7).
open class WMTPostApprovalScreenPayload: Codable {
    init() {}

    /// Reads a payload of any kind.
    public required init(from decoder: any Decoder) throws {}

    /// Writes what every payload has: nothing. It is an object also without a subclass's keys.
    open func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: NoKey.self) }

    private enum NoKey: CodingKey {}
}

/// What was approved.
open class WMTReviewPostApprovalScreenPayload: WMTPostApprovalScreenPayload {
    private enum Key: String, CodingKey { case attributes }

    /// One line each; empty when the server sent one that cannot be read.
    public let attributes: [WMTOperationAttribute]

    /// - Parameter attributes: one line each.
    public init(attributes: [WMTOperationAttribute]) {
        self.attributes = attributes
        super.init()
    }

    /// Reads the payload.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        attributes = container.lenient([AnyAttribute].self, forKey: .attributes)?.map(\.attribute) ?? []
        try super.init(from: decoder)
    }

    /// Writes the payload.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(attributes, forKey: .attributes)
    }
}

/// Where a screen leads.
open class WMTRedirectPostApprovalScreenPayload: WMTPostApprovalScreenPayload {
    private enum Key: String, CodingKey {
        case text = "redirectText"
        case url = "redirectUrl"
        case countdown
    }

    /// Text of the button.
    public let text: String
    /// Where the button leads.
    public let url: String
    /// Seconds after which the app opens it automatically.
    public let countdown: Int

    /// - Parameters:
    ///   - text: text of the button.
    ///   - url: where the button leads.
    ///   - countdown: seconds after which the app opens it automatically.
    public init(text: String, url: String, countdown: Int) {
        self.text = text
        self.url = url
        self.countdown = countdown
        super.init()
    }

    /// Reads the payload.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        text = try container.decode(String.self, forKey: .text)
        url = try container.decode(String.self, forKey: .url)
        countdown = try container.decode(Int.self, forKey: .countdown)
        try super.init(from: decoder)
    }

    /// Writes the payload.
    open override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(text, forKey: .text)
        try container.encode(url, forKey: .url)
        try container.encode(countdown, forKey: .countdown)
    }
}
