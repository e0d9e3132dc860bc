import Foundation
import LabSystem
import Testing

@Suite("What the executables are linked from")
struct LinkageTests {
    @Test("The server holds no symbol of an SDK", arguments: ["PowerAuth2", "PowerAuthShared", "PowerAuthCore"])
    func serverHasNoSDK(module: String) throws {
        #expect(try !symbols(of: "lab-server", mention: module))
    }

    @Test("The runner holds no symbol of an SDK and none of the server")
    func runnerHasNoSDK() throws {
        #expect(try !symbols(of: "lab", mention: "PowerAuthShared"))
        #expect(try !symbols(of: "lab", mention: "PowerAuthServer"))
    }

    @Test("The watch app holds no symbol of the phone's SDK")
    func watchHasNoPhoneSDK() throws {
        #expect(try !symbols(of: "watch-companion", mention: "PowerAuth2"))
        let hasWatchSDK = try symbols(of: "watch-companion", mention: "PowerAuth2ForWatch")
        #expect(hasWatchSDK)
    }

    /// Whether a Swift symbol of a module is in an executable: mangled names spell the module with its length.
    private func symbols(of executable: String, mention module: String) throws -> Bool {
        let directory = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
        let image = try Data(contentsOf: directory.appending(path: executable), options: .mappedIfSafe)
        return image.range(of: Data("$s\(module.utf8.count)\(module)".utf8)) != nil
    }
}
