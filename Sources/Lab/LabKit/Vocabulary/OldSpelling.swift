/// A former name of a word of the vocabulary that is still accepted.
///
/// Files with the old word are accepted with a warning until ``refusedFrom``; `lab format --upgrade` rewrites them. A
/// renamed command or parameter keeps its old word here for one minor version of the lab.
public struct OldSpelling: Sendable, Equatable {
    /// Where the old word stands.
    public enum Place: Sendable, Equatable {
        /// In place of a command of this kind of actor.
        case command(of: ActorKind)
        /// In place of a parameter of the command of this name.
        case parameter(of: String)
        /// In place of the value of a parameter of the command of this name.
        case value(of: String, parameter: String)
    }

    /// A version of the lab without its last number.
    public struct Version: Sendable, Comparable, CustomStringConvertible {
        private let major: Int
        private let minor: Int

        /// Reads a version such as `0.2` or `0.2.1-dev`; nil for any other text.
        public init?(_ text: String) {
            let numbers = text.split(separator: ".").prefix(2).compactMap { Int($0) }
            guard numbers.count == 2 else { return nil }
            self.init(numbers[0], numbers[1])
        }

        init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

        public var description: String { "\(major).\(minor)" }

        public static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor) < (right.major, right.minor)
        }
    }

    /// Where it stands.
    public let place: Place
    /// The old word.
    public let old: String
    /// The word that the vocabulary has.
    public let new: String
    /// The version from which on the old word is warned of.
    public let deprecatedFrom: Version
    /// The version from which on the old word is refused.
    public let refusedFrom: Version

    /// Everything that is still understood.
    public static let all = [
        // The SDK's own name up to 1.8, which its older manuals use (sdk.md, section 2).
        OldSpelling(.command(of: .app), "commitActivation", PersistActivation.info.name),
        // The names of the networking library's parameters, until one thing had one word in all commands.
        OldSpelling(.parameter(of: Post.info.name), "e2ee", "encryption"),
        OldSpelling(.parameter(of: Post.info.name), "tokenName", "token"),
        OldSpelling(.parameter(of: SendPush.info.name), "data", "userInfo"),
        // The event that the same change has, until both had one name.
        OldSpelling(
            .value(of: ArmFault.info.name, parameter: "point"), "counter.bump", FaultPoint.counterBumped.rawValue),
    ]

    private init(_ place: Place, _ old: String, _ new: String) {
        (self.place, self.old, self.new) = (place, old, new)
        (deprecatedFrom, refusedFrom) = (Version(0, 1), Version(0, 2))
    }

    /// The spelling that an unknown command of a kind of actor is an old one of.
    public static func command(_ old: String, of kind: ActorKind) -> OldSpelling? {
        all.first { $0.place == .command(of: kind) && $0.old == old }
    }

    /// The spellings of a command's parameters.
    public static func parameters(of command: String) -> [OldSpelling] {
        all.filter { $0.place == .parameter(of: command) }
    }

    /// The spellings of the values of a command's parameter.
    public static func values(of parameter: String, _ command: String) -> [OldSpelling] {
        all.filter { $0.place == .value(of: command, parameter: parameter) }
    }

    /// What is said of the old word.
    public var warning: String {
        "`\(old)` is now `\(new)`; the old word is refused from version \(refusedFrom) on"
    }
}
