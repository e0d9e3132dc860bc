// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@Suite("Linkage of the executables", .endsInTime)
struct LinkageTests {
    @Test(arguments: ["PowerAuth2", "PowerAuthShared", "PowerAuthCore"])
    func `The server holds no symbol of an SDK`(module: String) throws {
        #expect(try !symbols(of: "lab-server", mention: module))
    }

    /// The program `lab` has all of them, but each speaks to the others over sockets only.
    @Test(
        arguments: [
            "ScenarioLanguage", "ScenarioEngine", "LabReports", "LabTools", "LabDashboard", "LabChecks", "LabFile",
        ])
    func `The runner's code uses no symbol of an SDK and none of the server`(module: String) throws {
        for object in try Self.objects(of: module) {
            for other in ["PowerAuthShared", "PowerAuth2", "PowerAuthServer", "DeviceAgent"] {
                #expect(try !Self.image(object, mentions: other), "\(module)/\(object.lastPathComponent) uses \(other)")
            }
        }
    }

    @Test func `The watch app holds no symbol of the phone's SDK`() throws {
        #expect(try !symbols(of: "watch-companion", mention: "PowerAuth2"))
        let hasWatchSDK = try symbols(of: "watch-companion", mention: "PowerAuth2ForWatch")
        #expect(hasWatchSDK)
    }

    @Test func `The watch app has no hybrid suites, and links no second cryptographic library`() throws {
        #expect(try !symbols(of: "watch-companion", mention: "PowerAuthPostQuantum"))
        #expect(try !symbols(of: "watch-companion", mention: "Crypto"))
    }

    @Test(
        arguments: [
            "PowerAuthCore", "PowerAuthShared", "PowerAuth2", "PowerAuthSDK2", "PowerAuth2ForExtensions",
            "PowerAuth2ForWatch",
            "WatchConnectivity", "WatchKit", "LocalAuthentication", "UIKit", "UserNotifications", "NetworkFramework",
            "SecurityFramework", "OSFramework",
            "WultraPowerAuthNetworking", "WultraMobileTokenSDK",
        ])
    func `An SDK's code uses no symbol of the lab`(module: String) throws {
        for object in try Self.objects(of: module) {
            for lab in ["LabCore", "LabControl", "LabVocabulary"] {
                #expect(try !Self.image(object, mentions: lab), "\(module)/\(object.lastPathComponent) uses \(lab)")
            }
        }
    }

    /// The object files of a module, at least one of which has its symbols.
    private static func objects(of module: String) throws -> [URL] {
        let folder = try products().appending(path: "\(module).build")
        let objects = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "o" }
        try #require(objects.contains { (try? image($0, mentions: module)) == true }, "no objects in \(folder)")
        return objects
    }

    /// Whether a Swift symbol of a module is in an executable.
    private func symbols(of executable: String, mention module: String) throws -> Bool {
        try Self.image(Self.products().appending(path: executable), mentions: module)
    }

    /// Mangled names spell the module with its length.
    private static func image(_ file: URL, mentions module: String) throws -> Bool {
        try Data(contentsOf: file, options: .mappedIfSafe).range(of: Data("$s\(module.utf8.count)\(module)".utf8))
            != nil
    }

    private static func products() throws -> URL {
        URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
    }
}
