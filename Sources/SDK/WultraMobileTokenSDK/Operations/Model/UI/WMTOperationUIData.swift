// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How the screen of an operation shall look (mobile-token.md, section 7.5).
open class WMTOperationUIData: Codable {
    private enum CodingKeys: String, CodingKey {
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

    /// Makes data without templates.
    /// - Parameters:
    ///   - flipButtons: whether the buttons to approve and to reject change places.
    ///   - blockApprovalOnCall: whether the operation must not be approved during a phone call.
    ///   - preApprovalScreen: what is shown before the user can approve.
    ///   - postApprovalScreen: what is shown after the user approved.
    public init(
        flipButtons: Bool?, blockApprovalOnCall: Bool?, preApprovalScreen: WMTPreApprovalScreen?,
        postApprovalScreen: WMTPostApprovalScreen?
    ) {
        self.flipButtons = flipButtons
        self.blockApprovalOnCall = blockApprovalOnCall
        self.preApprovalScreen = preApprovalScreen
        self.postApprovalScreen = postApprovalScreen
        templates = nil
    }

    /// Reads the data.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        flipButtons = container.lenient(Bool.self, forKey: .flipButtons)
        blockApprovalOnCall = container.lenient(Bool.self, forKey: .blockApprovalOnCall)
        preApprovalScreen = container.lenient(WMTPreApprovalScreen.self, forKey: .preApprovalScreen)
        postApprovalScreen = container.lenient(AnyPostApprovalScreen.self, forKey: .postApprovalScreen)?.screen
        templates = container.lenient(WMTTemplates.self, forKey: .templates)
    }
}

/// Any JSON (mobile-token.md, section 7.7). Written again it is the same JSON.
public enum WMTJSONValue: Codable, Equatable, Sendable {
    /// A text.
    case string(String)
    /// A whole number; a number such as 1.0 is one, too.
    case int(Int)
    /// Any other number.
    case double(Double)
    /// A truth value.
    case bool(Bool)
    /// An object.
    case object([String: WMTJSONValue])
    /// An array.
    case array([WMTJSONValue])
    /// Null.
    case null

    /// Reads a JSON text.
    /// - Throws: a `DecodingError` for bytes that are not JSON.
    public init(jsonData: Data) throws { self = try JSONDecoder().decode(WMTJSONValue.self, from: jsonData) }

    /// Reads a value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: WMTJSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode([WMTJSONValue].self) {
            self = .array(value)
        } else if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else {
            self = .double(try container.decode(Double.self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }

    /// The member of an object; nil without a member of the name, and for anything but an object.
    public subscript(key: String) -> WMTJSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }
}
