// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

/// What a command about an app's process acts on.
struct ProcessTarget {
    let agent: DeviceAgent
    let host: AppHost

    /// Gives the process an input whose outcome is a started process.
    fileprivate func begin(
        _ reply: @escaping CommandDispatcher<ProcessTarget>.Reply<LaunchedProcess>, _ input: (Int) -> AppProcess.Input
    ) throws {
        try begin(input) { answer in
            switch answer {
            case .launched(let pid, let incarnation, let launchedAt):
                reply(
                    .success(
                        LaunchedProcess {
                            $0.pid = pid
                            $0.incarnation = incarnation
                            $0.launchedAt = launchedAt
                        }))
            case .done: reply(.failure(ControlError.device(.internal, "The process is ready with an unknown pid.")))
            case .refused(let name, let message): reply(.failure(ControlError.device(name, message)))
            }
        }
    }

    /// Gives the process an input that is only done or refused.
    fileprivate func begin(
        _ reply: @escaping CommandDispatcher<ProcessTarget>.Reply<NoResult>, _ input: (Int) -> AppProcess.Input
    ) throws {
        try begin(input) { answer in
            switch answer {
            case .launched, .done: reply(.success(NoResult()))
            case .refused(let name, let message): reply(.failure(ControlError.device(name, message)))
            }
        }
    }

    private func begin(
        _ input: (Int) -> AppProcess.Input, _ answer: @escaping @Sendable (AppProcess.Answer) -> Void
    ) throws {
        try agent.perform(host.process.handle(input(agent.requests.add(answer))), for: host)
    }
}

/// The commands about an app's process.
extension DeviceAgent {
    static let processCommands: CommandDispatcher<ProcessTarget> = {
        var table = CommandDispatcher<ProcessTarget>(of: .process, errors: ControlError.ofDevice)
        table.start(Launch.self) { _, target, reply in try target.begin(reply) { .launch(request: $0) } }
        table.start(Relaunch.self) { _, target, reply in try target.begin(reply) { .relaunch(request: $0) } }
        table.start(Kill.self) { _, target, reply in try target.begin(reply) { .end(signal: SIGKILL, request: $0) } }
        table.start(OutOfMemory.self) { _, target, reply in
            try target.begin(reply) { .terminate(.memory, request: $0) }
        }
        table.start(Terminate.self) { _, target, reply in
            try target.begin(reply) { .end(signal: SIGTERM, request: $0) }
        }
        table.start(Suspend.self) { _, target, reply in
            // An app that leaves the foreground loses its dialog.
            try target.agent.security.cancelPrompt(ofApp: target.host.spec.name)
            try target.begin(reply) { .suspend(request: $0) }
        }
        table.start(Resume.self) { _, target, reply in try target.begin(reply) { .resume(request: $0) } }
        table.start(ForceQuit.self) { _, target, reply in
            target.host.notifications.isForceQuit = true
            // An app that has already ended is still removed from the app switcher.
            guard target.host.process.pid != nil else { return reply(.success(NoResult())) }
            try target.begin(reply) { .end(signal: SIGKILL, request: $0) }
        }
        table.answer(Uninstall.self) { _, target in try target.agent.uninstall(target.host, installingAgain: false) }
        table.answer(Reinstall.self) { _, target in try target.agent.uninstall(target.host, installingAgain: true) }
        table.answer(Install.self) { _, target in try target.agent.install(target.host) }
        addWatchHandlers(to: &table)
        addNotificationHandlers(to: &table)
        addBackgroundRefreshHandlers(to: &table)
        return table
    }()
}

extension AppProcess.Phase {
    var reported: Processes.State {
        switch self {
        case .notRunning: .notRunning
        case .launching, .running: .running
        case .suspending, .suspended: .suspended
        }
    }
}
