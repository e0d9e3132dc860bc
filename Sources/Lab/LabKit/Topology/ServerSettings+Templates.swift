extension ServerSettings {
    /// A template of operations, with the names of the resource `operation/template/create` (server.md, section 17).
    public struct OperationTemplate: Codable, Equatable, Sendable {
        /// Names the template; a stored one of this name is replaced.
        public var templateName: String
        /// The type of its operations, which is the ``UITemplate/placeholder`` of their texts.
        public var operationType: String
        /// The text to sign, with `${name}` where a parameter goes.
        public var dataTemplate: String
        /// What may approve; at least one.
        public var signatureType = [Factors.possessionKnowledge, .possessionBiometry]
        /// Failed approvals that end an operation.
        public var maxFailureCount = 5
        /// How long an operation waits, in seconds.
        public var expiration: Int64 = 300
        /// One-letter flags that the operations carry; nil for none.
        public var riskFlags: String?
        /// Whether the user must be near what shows the code.
        public var proximityCheckEnabled = false

        /// A template whose operations have its own name as type, and everything else by default.
        public init(templateName: String, dataTemplate: String) {
            self.templateName = templateName
            operationType = templateName
            self.dataTemplate = dataTemplate
        }
    }

    /// The factors of a signature, as the server names them.
    public enum Factors: String, Codable, Sendable, CaseIterable {
        case possession = "POSSESSION"
        case knowledge = "KNOWLEDGE"
        case biometry = "BIOMETRY"
        case possessionKnowledge = "POSSESSION_KNOWLEDGE"
        case possessionBiometry = "POSSESSION_BIOMETRY"
        case possessionKnowledgeBiometry = "POSSESSION_KNOWLEDGE_BIOMETRY"
    }

    /// How operations of one type are shown in one language, with the names of the resource `/lab/ui-templates`
    /// (mobile-token.md, section 17.1).
    public struct UITemplate: Codable, Equatable, Sendable {
        /// The type of the operations; a stored template of this type and ``language`` is replaced.
        public var placeholder: String
        /// Such as `en`; at most 8 characters.
        public var language = Self.defaultLanguage
        /// Names of the operation's parameters, as `${name}`, are filled in all texts.
        public var title: String
        /// See ``title``.
        public var message: String
        /// A list of attributes, each with `id`, `type`, `text` and `params`; nil for none.
        public var attributes: JSONValue?
        /// The texts shown afterwards by `success`, `reject` and `failure`; nil for none.
        public var resultTexts: JSONValue?
        /// Screens before and after the approval, and the look of the buttons; nil for none.
        public var ui: JSONValue?

        /// The language of a template that names none.
        public static let defaultLanguage = "en"

        /// The longest name of a language, in characters.
        public static let languageLength = 8

        /// A template of texts.
        public init(placeholder: String, title: String, message: String) {
            self.placeholder = placeholder
            self.title = title
            self.message = message
        }
    }
}
