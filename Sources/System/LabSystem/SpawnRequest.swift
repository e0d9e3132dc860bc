import CLabSystem
import Glibc

/// A program start in the form the C shim takes; built before the fork, so that the child allocates nothing.
struct SpawnRequest: Sendable {
    let executable: String
    let arguments: [String]
    let environment: [String]
    let directory: String?
    let streams: [ChildProcess.Stream]
    let newProcessGroup: Bool
    let newSession: Bool
    let deathSignal: Int32

    /// Starts the program from the calling thread and returns its pid.
    func run() throws -> Int32 {
        var failedStep: UnsafePointer<CChar>?
        let result = withCStrings([executable] + arguments) { arguments in
            withCStrings(environment) { environment in
                executable.withCString { executable in
                    withOptionalCString(directory) { directory in
                        var request = csystem_spawn_request()
                        request.executable = executable
                        request.arguments = arguments
                        request.environment = environment
                        request.directory = directory
                        request.standard_streams = (number(0), number(1), number(2))
                        request.new_process_group = newProcessGroup ? 1 : 0
                        request.new_session = newSession ? 1 : 0
                        request.death_signal = deathSignal
                        return csystem_spawn(&request, &failedStep)
                    }
                }
            }
        }
        guard result > 0 else {
            let step = failedStep.map { String(cString: $0) } ?? "spawn"
            throw SystemError(call: step, errno: -result, path: step == "chdir" ? directory : executable)
        }
        return result
    }

    private func number(_ stream: Int) -> Int32 {
        switch streams[stream] {
        case .null: -1
        case .inherit: -2
        case .file(let file): file.rawValue
        }
    }
}

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
) rethrows -> Result {
    var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    copies.append(nil)
    defer { copies.forEach { free($0) } }
    return try copies.withUnsafeBufferPointer { try body($0.baseAddress!) }  // holds at least the nil
}

private func withOptionalCString<Result>(
    _ string: String?, _ body: (UnsafePointer<CChar>?) throws -> Result
) rethrows -> Result {
    guard let string else { return try body(nil) }
    return try string.withCString { try body($0) }
}
