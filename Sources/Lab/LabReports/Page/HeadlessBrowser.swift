// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LabCore
import LabFile
package import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// A Chromium that draws a page without a window and without a network, and leaves nothing behind.
///
/// A value. Thread rule: any thread; a drawing blocks until the browser has ended.
public struct HeadlessBrowser: Sendable {
    /// The names of the program, in the order of the search.
    private static let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
    /// The first bytes of a PNG file.
    private static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    /// The longest time for each of the two starts of a drawing.
    package static let patience = LabDuration.seconds(60).stretched

    /// Its program: an absolute path, or one in a folder as the `PATH` has it.
    package let program: String
    private let environment: [String: String]
    /// The time limit of this browser's starts; tests shorten it.
    package var patience = Self.patience

    /// Finds the browser.
    /// - Parameters:
    ///   - path: Its program; nil searches the `PATH` for Chromium or Chrome.
    ///   - environment: The variables of this process.
    /// - Throws: ``BadUsage`` if `path` cannot be run, ``LabFailure`` if none is found.
    public init(at path: String?, environment: [String: String]) throws {
        self.environment = environment
        if let path {
            guard Self.isProgram(path) else {
                throw BadUsage(
                    sentence: "--browser \(path) cannot be run: it is no program; name that of Chromium or Chrome")
            }
            program = Files.absolute(path)
            return
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let places = Self.names.flatMap { name in folders.map { "\($0)/\(name)" } }
        guard let found = places.first(where: Self.isProgram) else {
            throw LabFailure(
                """
                a picture needs Chromium or Chrome, and no folder of the PATH has \(listed(Self.names, by: "or")); install \
                one, for example with `apt-get install chromium`, or name its program: --browser PATH
                """)
        }
        program = found
    }

    private static func isProgram(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: path) && !Files.isDirectory(path)
    }

    /// Draws a page in the height that it has.
    ///
    /// The browser is started twice: the page writes its height into the attribute `data-height` of its first element,
    /// and the window of the second start is that high.
    /// - Parameters:
    ///   - address: Its URL. All of it must be drawn when the browser has loaded it.
    ///   - width: In pixels.
    ///   - folder: Absolute path of a directory for everything that the browser writes; its owner removes it.
    ///   - interruption: Ends the browser when it is signalled.
    /// - Returns: The PNG file; nil if interrupted.
    /// - Throws: ``LabFailure`` if the browser draws nothing.
    package func picture(
        of address: String, width: Int, in folder: String, until interruption: EventDescriptor?
    ) throws -> Data? {
        func run(_ arguments: [String], height: Int) throws -> Data? {
            try output(["--window-size=\(width),\(height)"] + arguments + [address], in: folder, until: interruption)
        }
        // No part of a page in a picture is measured by the window, so that any height is right for the first start.
        guard let document = try run(["--dump-dom"], height: 600) else { return nil }
        let head = String(decoding: document.prefix(1_000), as: UTF8.self)
        guard let height = head.firstMatch(of: /<html[^>]* data-height="([0-9]+)"/).flatMap({ Int($0.1) }), height > 0
        else { throw failure("has not drawn the page of the run") }
        let file = "\(folder)/picture.png"
        guard try run(["--screenshot=\(file)"], height: height) != nil else { return nil }
        guard let picture = try? Files.read(file), picture.starts(with: Self.signature) else {
            throw failure("has written no picture")
        }
        return picture
    }

    /// Runs the program to its end.
    /// - Returns: Its output; nil if interrupted.
    private func output(
        _ arguments: [String], in folder: String, until interruption: EventDescriptor?
    ) throws -> Data? {
        let run: ProgramRun
        do {
            run = try ProgramRun(
                program, Self.options(in: folder) + arguments, environment: variables(in: folder),
                timeoutNanoseconds: patience.nanoseconds, limit: 1 << 30, interruption: interruption)
        } catch {
            throw failure("cannot be run: \((error as? SystemError)?.sentence ?? "\(error)")")
        }
        let lastWords = run.lastWords.isEmpty ? "" : "; its last line was: \(run.lastWords)"
        switch run.end {
        case .interrupted: return nil
        case .ended(.exited(0)): return run.output
        case .ended(let status): throw failure("\(status)\(lastWords)")
        case .stillRunning: throw failure("has not drawn the page of the run within \(patience)\(lastWords)")
        case .tooLong: throw failure("has printed more than a page of a run can have\(lastWords)")
        }
    }

    private func failure(_ what: String) -> LabFailure {
        LabFailure(
            """
            no picture was made: \(program) \(what). Name another browser with --browser PATH; one from a snap or a \
            flatpak cannot read the files of the lab
            """)
    }

    /// What the browser is started with.
    private static func options(in folder: String) -> [String] {
        let options = [
            "--headless", "--user-data-dir=\(folder)/profile", "--hide-scrollbars", "--force-device-scale-factor=1",
            "--no-first-run", "--disable-extensions", "--disable-breakpad",
            // Containers have little shared memory.
            "--disable-dev-shm-usage",
            // The page loads nothing, and the browser must not either.
            "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
        ]
        // Root has no sandbox of its own to give. The page is the lab's own, and its policy lets it load nothing.
        return CurrentUser.id == 0 ? options + ["--no-sandbox"] : options
    }

    /// The variables of this process, with the folder as home: a browser writes also beside its profile.
    private func variables(in folder: String) -> [String: String] {
        let own = ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"].map { ($0, folder) }
        return environment.merging(own) { $1 }
    }
}
