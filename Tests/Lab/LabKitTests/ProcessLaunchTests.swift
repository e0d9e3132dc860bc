import LabKit
import TestSupport
import Testing

@Suite("The command line of a process", .endsInTime)
struct ProcessLaunchTests {
    @Test("It is read back as it was written")
    func words() {
        let app = AppLaunch(instance: "/run/a b", app: "main", incarnation: 3)
        #expect(app.arguments == ["--instance", "/run/a b", "--as", "main", "--incarnation", "3"])
        #expect(AppLaunch(arguments: app.arguments) == app)
        let agent = AgentLaunch(instance: "/run/a", device: "phone")
        #expect(agent.arguments == ["--instance", "/run/a", "--device", "phone"])
        #expect(AgentLaunch(arguments: agent.arguments) == agent)
    }

    @Test(
        "Any other command line is left to the parser",
        arguments: [
            [], ["--help"], ["--instance", "i", "--as", "main"],
            ["--instance", "i", "--as", "main", "--incarnation", "x"],
            ["--instance", "i", "--as", "main", "--incarnation", "03"],
            ["--as", "main", "--instance", "i", "--incarnation", "3"],
            ["--instance", "i", "--as", "main", "--incarnation", "3", "ping"],
            ["--device", "phone", "--instance", "i"],
            ["--instance", "i", "--device", "phone", "--help"],
        ])
    func otherWords(_ words: [String]) {
        #expect(AppLaunch(arguments: words) == nil)
        #expect(AgentLaunch(arguments: words) == nil)
    }
}
