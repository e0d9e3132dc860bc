// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// The browser is a script here; `ScreenshotTests` use a real one.
@Suite("A picture of a run is drawn by a browser that leaves nothing behind", .endsInTime)
struct RunPictureTests {
    private let directory: TemporaryDirectory
    private let runs: RecordedRuns
    /// The name of the run's directory.
    private let run: String

    init() throws {
        directory = try TemporaryDirectory()
        let records = directory.file(".lab")
        runs = RecordedRuns(records: records)
        let recorded = try RunDirectory.create(in: records, keeping: 9)
        run = Files.name(of: recorded.path)
        var results: [ScenarioResult] = []
        for (id, verdict) in [("a.yaml", Verdict.passed), ("b.yaml", .failed), ("c.yaml", .failed)] {
            var result = ScenarioResult.sample(verdict, id: id, name: "Name of \(id)")
            result.directory = "\(recorded.path)/\(id)"
            try Files.createDirectory(result.directory)
            try Self.history(of: id).write(to: result.directory)
            results.append(result)
        }
        let report = JSONReport(seed: 1, seconds: 1, results: results)
        try Files.write(report.rendered(), to: "\(recorded.path)/\(JSONReport.fileName)")
    }

    /// A scenario that begins at 1 ms, with one step from 2 to 3 ms.
    private static func history(of id: String) -> [HistoryEvent] {
        [
            HistoryEvent(time: 1_000_000, .scenarioStarted(.init(id: id, name: id, seed: "1", devices: []))),
            HistoryEvent(time: 2_000_000, step: "1", .stepStarted(.init(title: "main: x", sentence: nil), nil)),
            HistoryEvent(time: 3_000_000, step: "1", .stepFinished(isFine: true)),
        ]
    }

    /// A browser that writes its arguments into the file `started`, keeps the page, and draws.
    private static let drawing = """
        here=$(dirname "$0")
        printf '%s\\n' "$@" >> "$here/started"
        [ "$HOME" = "$TMPDIR" ] && cp "$HOME/index.html" "$here/page.html" && echo "$HOME" > "$here/home"
        for word in "$@"; do
            case $word in
                --dump-dom) echo '<html lang="en" data-height="321"><head>' ;;
                --screenshot=*) printf '\\211PNG\\r\\n\\032\\nrest' > "${word#--screenshot=}" ;;
            esac
        done
        """

    private func browser(_ script: String = Self.drawing) throws -> HeadlessBrowser {
        let path = directory.file("browser")
        try Files.write(Data("#!/bin/sh\n\(script)\n".utf8), to: path, mode: 0o755)
        return try HeadlessBrowser(at: path, environment: ["PATH": "/usr/bin:/bin"])
    }

    private func picture(
        _ part: RunPicture.Part = .bench, of place: String? = nil, in scenario: String? = nil, width: Int = 1_400,
        isDark: Bool = false
    ) throws -> RunPicture {
        try RunPicture(of: part, at: RunPlace(place), in: scenario, width: width, isDark: isDark)
    }

    /// Draws a picture.
    /// - Returns: The arguments of both starts of the browser, and the page.
    private func drawn(_ picture: RunPicture) throws -> (arguments: [String], page: String) {
        let file = directory.file("picture.png")
        try? Files.remove(directory.file("started"))
        #expect(try runs.draw(picture, with: browser(), to: file) == file)
        #expect(try Files.read(file) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data("rest".utf8))
        let arguments = String(decoding: try Files.read(directory.file("started")), as: UTF8.self)
        let page = String(decoding: try Files.read(directory.file("page.html")), as: UTF8.self)
        let home = String(decoding: try Files.read(directory.file("home")), as: UTF8.self)
        #expect(!Files.exists(home.trimmingCharacters(in: .newlines)), "everything of the browser is removed")
        return (arguments.split(separator: "\n").map(String.init), page)
    }

    private func failure<Failure: Error>(
        _ type: Failure.Type, of picture: RunPicture, with browser: HeadlessBrowser, to file: String? = nil
    ) -> String {
        let error = #expect(throws: type) {
            try runs.draw(picture, with: browser, to: file ?? directory.file("picture.png"))
        }
        return error.map { "\($0)" } ?? ""
    }

    @Test func `A place has a run and a step behind #, also when one of them or both are left out`() throws {
        func parts(_ text: String?) throws -> [String?] {
            let place = try RunPlace(text)
            return [place.run, place.step]
        }
        #expect(try parts(nil) == [nil, nil])
        #expect(try parts("latest") == ["latest", nil])
        #expect(try parts("latest#3.2") == ["latest", "3.2"])
        #expect(try parts("#150ms") == [nil, "150ms"])
        let folder = directory.file("of #1")
        #expect(try parts("\(folder)#2") == [folder, "2"])
        try Files.createDirectory(folder)
        #expect(try parts(folder) == [folder, nil], "a folder's name may have the sign")
        let error = #expect(throws: BadUsage.self) { try RunPlace("latest#") }
        #expect(error?.description.contains("`latest#` has no step behind #") == true)
    }

    @Test(.verifies("size", "RunPicture.widths"))
    func `A picture has the narrowest to the widest width, and none outside`() throws {
        for width in Sizes.around(RunPicture.widths.lowerBound) + Sizes.around(RunPicture.widths.upperBound) {
            guard !(500...4_000).contains(width) else {
                #expect(try picture(width: width).width == width)
                continue
            }
            let error = #expect(throws: BadUsage.self) { try picture(width: width) }
            #expect(error?.description == "--width \(width) does not fit: pictures have 500 to 4000 pixels")
        }
    }

    @Test func `An overview has neither a scenario nor a step`() {
        #expect(throws: BadUsage.self) { try picture(.overview, of: "latest#1") }
        #expect(throws: BadUsage.self) { try picture(.overview, in: "a.yaml") }
        #expect(throws: Never.self) { try picture(.overview, of: "latest") }
    }

    @Test func `The window of the second start is as high as the page of the first, and no start has a network`() throws
    {
        let (arguments, _) = try drawn(picture(width: 800))
        let windows = arguments.filter { $0.hasPrefix("--window-size=") }
        #expect(windows == ["--window-size=800,600", "--window-size=800,321"])
        for word in ["--headless", "--host-resolver-rules=MAP * ~NOTFOUND"] {
            #expect(arguments.count { $0 == word } == 2, "\(word)")
        }
        #expect(arguments.contains("--no-sandbox") == (CurrentUser.id == 0))
    }

    @Test func `The page has a scenario that did not pass, or the chosen one, at a step or a time, or has all`() throws
    {
        func words(_ picture: RunPicture) throws -> (fragment: String, page: String) {
            let (arguments, page) = try drawn(picture)
            let addresses = arguments.filter { $0.hasPrefix("file://") }
            #expect(addresses.count == 2 && Set(addresses).count == 1)
            return (String(addresses[0].split(separator: "#")[1]), page)
        }
        let (first, page) = try words(picture())
        #expect(first == "picture=bench&theme=light&s=0")
        #expect(page.contains("Name of b.yaml") && !page.contains("Name of a.yaml") && !page.contains("Name of c.yaml"))

        let (chosen, other) = try words(
            picture(.page, of: "\(run)#1", in: directory.file("a.yaml"), isDark: true))
        #expect(chosen == "picture=page&theme=dark&s=0&after=1")
        #expect(other.contains("Name of a.yaml") && !other.contains("Name of b.yaml"))

        let (time, _) = try words(picture(of: "latest#1500us"))
        #expect(time == "picture=bench&theme=light&s=0&at=1500")

        let (all, list) = try words(picture(.overview))
        #expect(all == "picture=page&theme=light")
        #expect(list.contains("Name of a.yaml") && list.contains("Name of c.yaml") && !list.contains("timeline-0"))
    }

    @Test func `A run, a scenario, a step and a folder that do not exist are refused before a browser starts`() throws {
        let browser = try browser()
        for (place, scenario, expected) in [
            ("latest#7", nil, "no step 7 has ended; those that have are `1`"),
            ("20000101-000000-0", nil, "there is no recorded run 20000101-000000-0"),
            ("latest", "z.yaml", "the run \(run) has recorded nothing of z.yaml"),
        ] as [(String, String?, String)] {
            let text = failure(BadUsage.self, of: try picture(of: place, in: scenario), with: browser)
            #expect(text.contains(expected), "\(text)")
        }
        for file in ["/nowhere/a.png", directory.path] {
            let text = failure(BadUsage.self, of: try picture(), with: browser, to: file)
            #expect(text.hasPrefix("the picture \(file) cannot be written"), "\(text)")
        }
        #expect(!Files.exists(directory.file("started")))
    }

    @Test func `A browser that is not there is named with what to do`() throws {
        let missing = #expect(throws: LabFailure.self) {
            try HeadlessBrowser(at: nil, environment: ["PATH": directory.path])
        }
        #expect(missing?.description.contains("`apt-get install chromium`") == true)
        for path in ["/nowhere/chromium", directory.path] {
            let wrong = #expect(throws: BadUsage.self) { try HeadlessBrowser(at: path, environment: [:]) }
            #expect(wrong?.description.hasPrefix("--browser \(path) cannot be run") == true)
        }
        // On the PATH it needs no name.
        try Files.write(Data("#!/bin/sh\n\(Self.drawing)\n".utf8), to: directory.file("google-chrome"), mode: 0o755)
        let found = try HeadlessBrowser(at: nil, environment: ["PATH": "/nowhere:\(directory.path):/usr/bin:/bin"])
        let file = directory.file("found.png")
        #expect(try runs.draw(picture(), with: found, to: file) == file)
    }

    @Test(
        arguments: [
            ("echo first >&2; echo 'no display' >&2; exit 1", "exited with code 1; its last line was: no display"),
            ("kill -SEGV $$", "ended by SIGSEGV"),
            ("echo '<html lang=\"en\">'", "has not drawn the page of the run."),
            ("echo '<html lang=\"en\" data-height=\"9\">'", "has written no picture."),
            (
                """
                for word in "$@"; do case $word in --screenshot=*) echo text > "${word#--screenshot=}" ;; esac; done
                echo '<html lang="en" data-height="9">'
                """, "has written no picture."
            ),
        ])
    func `A browser that draws nothing is a failure of the lab with its last words, and leaves no picture`(
        script: String, expected: String
    ) throws {
        let browser = try browser(script)
        let text = failure(LabFailure.self, of: try picture(), with: browser)
        #expect(text.hasPrefix("no picture was made: \(directory.file("browser")) \(expected)"), "\(text)")
        #expect(!Files.exists(directory.file("picture.png")))
    }

    @Test func `A browser that does not end is killed at its time limit`() throws {
        var browser = try browser("exec sleep 1000")
        browser.patience = .milliseconds(50)
        let text = failure(LabFailure.self, of: try picture(), with: browser)
        #expect(text.contains("has not drawn the page of the run within 50ms"), "\(text)")
    }

    @Test func `An interruption ends the browser, and no picture is written`() throws {
        let interruption = try EventDescriptor()
        interruption.signal()
        let file = directory.file("picture.png")
        let browser = try browser("exec sleep 1000")
        #expect(try runs.draw(picture(), with: browser, to: file, until: interruption) == nil)
        #expect(!Files.exists(file))
    }
}
