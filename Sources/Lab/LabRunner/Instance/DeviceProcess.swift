import Foundation
import LabKit
import LabSystem

/// The process of a device, as commands end and start it.
struct DeviceProcess {
    let instance: InstanceConnection
    let device: String

    private var endpoint: InstanceEndpoint { .agent(device) }

    /// Ends the process at once and waits until it is gone.
    func kill() throws {
        let process = try running()
        try instance.end(process, at: endpoint, with: SIGKILL)
        try instance.noteKill(of: process, named: device)
    }

    /// Asks the process to end and waits until it is gone.
    func switchOff() throws {
        try instance.end(running(), at: endpoint, with: SIGTERM)
    }

    /// Maximum real time until a killed process is gone.
    private static let dyingTime = LabDuration.milliseconds(200).stretched

    /// Starts the process after it has ended, and waits until it answers.
    func switchOn() throws {
        // A killed process closes its connections before its last thread is gone.
        if let process = instance.process(of: endpoint),
            try !process.waitForExit(timeoutNanoseconds: Self.dyingTime.nanoseconds)
        {
            throw ControlError(
                .wrongState, message: "\(device) is running; `\(device): reboot` restarts it")
        }
        try instance.startAgent(of: device)
    }

    private func running() throws -> ProcessWatch {
        guard let process = instance.process(of: endpoint) else {
            throw ControlError(.notRunning, message: "\(device) does not run; `\(device): switchOn` starts it")
        }
        return process
    }
}
