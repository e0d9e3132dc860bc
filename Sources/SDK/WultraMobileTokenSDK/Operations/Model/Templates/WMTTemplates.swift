// SPDX-License-Identifier: Apache-2.0

/// The layout of an operation (mobile-token.md, section 7.8). Unreadable parts are left out.
public struct WMTTemplates: Codable, Equatable, Sendable {
    /// Identifier of an attribute.
    public typealias AttributeId = String
    /// Text with placeholders such as `${operation.amount}`, each an identifier of an attribute.
    public typealias AttributeFormatted = String

    /// Whether a cell can be folded.
    public enum Collapsable: String, Codable, Sendable {
        /// It cannot.
        case no = "NO"
        /// It can, and is folded at first.
        case collapsed = "COLLAPSED"
        /// It can, and is open at first.
        case yes = "YES"
    }

    /// The operation in the list.
    public struct ListTemplate: Codable, Equatable, Sendable {
        /// Name of a style that app and back end agree on.
        public let style: String?
        /// Line above the title.
        public let header: AttributeFormatted?
        /// Title.
        public let title: AttributeFormatted?
        /// Line below the title.
        public let message: AttributeFormatted?
        /// The attribute with the picture.
        public let image: AttributeId?

        /// Reads a template.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            style = container.lenient(String.self, forKey: .style)
            header = container.lenient(String.self, forKey: .header)
            title = container.lenient(String.self, forKey: .title)
            message = container.lenient(String.self, forKey: .message)
            image = container.lenient(String.self, forKey: .image)
        }
    }

    /// The operation on its own screen.
    public struct DetailTemplate: Codable, Equatable, Sendable {
        /// Lines that belong together.
        public struct Section: Codable, Equatable, Sendable {
            /// One line.
            public struct Cell: Codable, Equatable, Sendable {
                /// The attribute that is shown.
                public let name: AttributeId
                /// Name of a style that app and back end agree on.
                public let style: String?
                /// Whether the label is shown.
                public let visibleTitle: Bool?
                /// Whether the user can copy the value.
                public let canCopy: Bool?
                /// Whether the cell can be folded.
                public let collapsable: Collapsable?
                /// Whether the value is centered.
                public let centered: Bool?

                /// Reads a cell.
                public init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    name = try container.decode(String.self, forKey: .name)
                    style = container.lenient(String.self, forKey: .style)
                    visibleTitle = container.lenient(Bool.self, forKey: .visibleTitle)
                    canCopy = container.lenient(Bool.self, forKey: .canCopy)
                    collapsable = container.lenient(Collapsable.self, forKey: .collapsable)
                    centered = container.lenient(Bool.self, forKey: .centered)
                }
            }

            /// Name of a style that app and back end agree on.
            public let style: String?
            /// The attribute whose label is the title.
            public let title: AttributeId?
            /// The lines; nil if they are not an array.
            public let cells: [Cell]?

            /// Reads a section.
            public init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                style = container.lenient(String.self, forKey: .style)
                title = container.lenient(String.self, forKey: .title)
                cells = container.lenientElements(Cell.self, forKey: .cells)
            }
        }

        /// Name of a style that app and back end agree on.
        public let style: String?
        /// Whether title and message of the operation are shown; they are unless this is false.
        public let showTitleAndMessage: Bool?
        /// The sections; nil if they are not an array.
        public let sections: [Section]?

        /// Reads a template.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            style = container.lenient(String.self, forKey: .style)
            showTitleAndMessage = container.lenient(Bool.self, forKey: .showTitleAndMessage)
            sections = container.lenientElements(Section.self, forKey: .sections)
        }
    }

    /// The operation in the list.
    public let list: ListTemplate?
    /// The operation on its own screen.
    public let detail: DetailTemplate?

    /// Reads the templates.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        list = container.lenient(ListTemplate.self, forKey: .list)
        detail = container.lenient(DetailTemplate.self, forKey: .detail)
    }
}
