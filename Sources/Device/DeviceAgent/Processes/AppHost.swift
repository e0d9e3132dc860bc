// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabPoints
import LabSystem

/// One app of the device with its process, as the agent keeps it.
///
/// Belongs to the agent's thread.
final class AppHost {
    /// How the end of a process is observed.
    enum Watch {
        /// The agent started it.
        case child(ChildProcess)
        /// It was started by hand.
        case byHand(ProcessWatch)
    }

    let spec: AppSpec
    var process: AppProcess
    var watch: Watch?
    /// Address of the attached process on the app socket.
    var address: Data?
    /// Its watch session is activated.
    var isActivated = false
    /// The link that the session belongs to.
    var session: LinkHost?
    /// The phone uses another watch, and the session waits for the rest of the previous watch's content.
    var isInactive = false
    /// The sleep of the process that the trace knows.
    var isAsleep = false
    /// Why the system ended the process, until its end is reported.
    var termination: TerminationCause?
    /// When the system ends the process; nil for a process without a time limit.
    var lastMoment: LabTime?
    var notifications = AppNotifications()
    var backgroundTasks = AppBackgroundTasks()
    private var standardErrorPath: String?

    init(spec: AppSpec, process: AppProcess) {
        self.spec = spec
        self.process = process
    }

    /// What a link needs to know.
    func presence(on link: LinkHost) -> AppPresence {
        AppPresence(
            isAttached: address != nil, isActivated: isActivated && session === link,
            isForeground: process.isForeground,
            isSuspended: process.isSuspended)
    }

    /// Starts the app's executable as a child that dies with the agent.
    func spawn(
        layout: InstanceLayout, manifest: InstanceManifest, device: DeviceSpec, incarnation: Int
    ) throws -> ChildProcess {
        let logs = manifest.runDirectory + "/logs"
        if !Files.exists(logs) { try Files.createDirectory(logs) }
        let path = "\(logs)/\(spec.name)#\(incarnation).stderr"
        let output = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        standardErrorPath = path
        return try ChildProcess.spawn(
            executable: spec.executablePath(in: manifest.executablesDirectory),
            arguments: AppLaunch(instance: layout.root, app: spec.name, incarnation: incarnation).arguments,
            standardOutput: .file(output), standardError: .file(output), newProcessGroup: true,
            deathSignal: SIGKILL)
    }

    /// Why the system ended the process, in words.
    func reason(of cause: TerminationCause) -> String {
        switch cause {
        case .lockInGroupContainer: "0xdead10cc"
        case .memory: "the system ended it for memory"
        case .backgroundTime: "the system ended it, because it did not finish in the background in time"
        case .timeLimit: "the system ended it after its time limit\(spec.timeLimit.map { " of \($0)" } ?? "")"
        }
    }

    /// The end of what the process wrote to standard error: at most 2,000 bytes.
    func lastWords() -> String {
        guard let path = standardErrorPath, let text = try? Files.read(path) else { return "" }
        return String(decoding: text.suffix(2_000), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension AppHost.Watch {
    /// Readable once the process has ended.
    var rawDescriptor: Int32 {
        switch self {
        case .child(let child): child.rawDescriptor
        case .byHand(let watch): watch.rawDescriptor
        }
    }

    var hasEnded: Bool { (try? Polling.waitReadable([rawDescriptor], timeoutNanoseconds: 0)[0]) ?? true }

    /// Sends a signal; a process that has ended is accepted.
    func signal(_ number: Int32) throws {
        switch self {
        case .child(let child): try child.signal(number)
        case .byHand(let watch): try watch.signal(number)
        }
    }

    func waitForEnd(within limit: LabDuration) {
        switch self {
        case .child(let child): _ = try? child.wait(timeoutNanoseconds: limit.nanoseconds)
        case .byHand(let watch): _ = try? watch.waitForExit(timeoutNanoseconds: limit.nanoseconds)
        }
    }

    /// How the process ended: in words, and as fields of a trace event. Only a child's exit status is known.
    func outcome() -> (String, [String: JSONValue]) {
        guard case .child(let child) = self, let status = try? child.poll() else { return ("ended", [:]) }
        switch status {
        case .exited(let code): return ("exit status \(code)", ["status": .integer(Int64(code))])
        case .signaled(let number):
            let name = Signals.name(of: number)
            return ("signal \(name)", ["signal": .string(name)])
        }
    }
}
