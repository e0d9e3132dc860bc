import LabFile

/// The actors of a new project, and the files about them.
public struct ProjectCast: Equatable, Sendable {
    /// The possible members of a cast; the words of `lab init --cast`.
    public enum Member: String, CaseIterable, Sendable {
        /// A phone with the app `main`. Every cast has it.
        case phone
        /// A second app of the same vendor, `wallet`, that shares the activation.
        case wallet
        /// An app extension of `main`.
        case widget
        /// A watch, paired with the phone, with the companion app of `main`.
        case watch
    }

    let members: Set<Member>
    /// Whether the project gets files to include and a scenario for each member, instead of one scenario with
    /// everything.
    private let isChosen: Bool

    /// Two apps of one vendor on one phone: the default.
    static let usual = ProjectCast(members: [.phone, .wallet], isChosen: false)

    private init(members: Set<Member>, isChosen: Bool) {
        (self.members, self.isChosen) = (members, isChosen)
    }

    /// Reads the value of `--cast`.
    ///
    /// - Parameter text: Comma-separated members: `phone,watch,widget`.
    /// - Throws: ``BadUsage`` for an unknown word.
    public init(_ text: String) throws {
        let known = Member.allCases.map(\.rawValue)
        var members: Set<Member> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false).map({ String($0).trimmed }) {
            guard let member = Member(rawValue: word) else {
                throw BadUsage(.notAChoice(what: "a member of --cast", value: word, choices: known))
            }
            members.insert(member)
        }
        guard members.contains(.phone) else {
            throw BadUsage(sentence: "--cast needs `phone`: the others belong to its app `main`")
        }
        self.init(members: members, isChosen: true)
    }

    /// The lab file and the scenarios, by their paths, in reading order.
    var files: [(path: String, content: String)] {
        let lab = (path: "lab.yaml", content: labFile)
        guard isChosen else { return [lab, ("Scenarios/first.yaml", Self.sharedActivation)] }
        let own = Member.allCases.filter(members.contains).compactMap(Self.scenario)
        // Three scenarios at least, so that one shows more than a successful start.
        let scenarios = own + Self.phoneScenarios.dropFirst().prefix(max(0, 3 - own.count))
        return [lab, ("Scenarios/steps/activate.yaml", Self.activation)] + scenarios
    }

    private static func scenario(of member: Member) -> (path: String, content: String)? {
        switch member {
        case .phone: phoneScenarios.first
        case .wallet: ("Scenarios/wallet-signs.yaml", walletScenario)
        case .widget: ("Scenarios/widget-reads.yaml", widgetScenario)
        case .watch: ("Scenarios/watch-out-of-range.yaml", watchScenario)
        }
    }

    /// The topology, without the members that are not in the cast.
    private var labFile: String {
        let apps =
            [Self.mainApp] + (members.contains(.wallet) ? [Self.walletApp] : [])
            + (members.contains(.widget) ? [Self.widgetApp] : [])
        return Self.labHeader + apps.joined(separator: "\n") + (members.contains(.watch) ? "\n" + Self.watch : "")
    }
}
