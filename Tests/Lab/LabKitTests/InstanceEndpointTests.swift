import LabKit
import TestSupport
import Testing

@Suite("Instance endpoints", .endsInTime)
struct InstanceEndpointTests {
    @Test(
        "A file name identifies the process that answers",
        arguments: [
            (InstanceEndpoint.peer("main"), "p.main", "main", "the app main"),
            (.agent("phone.2"), "a.phone.2", "phone.2", "the agent of phone.2"),
            (.server, "server", "server", "the server"),
            (.join, "join", "join", "the runner of the instance"),
            (.apps(device: "watch"), "w.watch", "watch", "the agent of watch"),
            (.link("wrist"), "l.wrist", "wrist", "the link wrist"),
        ])
    func aFileNameTellsWhoAnswers(endpoint: InstanceEndpoint, file: String, actor: String, title: String) {
        #expect(endpoint.fileName == file)
        #expect(InstanceEndpoint(fileName: file) == endpoint)
        #expect(endpoint.actor == actor)
        #expect(endpoint.description == title)
    }

    @Test("Other file names are not endpoints", arguments: ["", "p", "p.", "x.main", "main", ".main", "Server"])
    func otherFileNamesAreNoEndpoints(file: String) {
        #expect(InstanceEndpoint(fileName: file) == nil)
    }
}
