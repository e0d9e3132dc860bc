// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabSystem

/// What the server reports when it listens, the file `server/ready.json`.
public struct ServerReady: Codable, Hashable, Sendable {
    /// The root of all services, e.g. `http://127.0.0.1:40123`.
    public var baseURL: String
    /// The Standard RESTful API for the SDKs.
    public var enrollmentURL: String
    /// The back-office API.
    public var backOfficeURL: String
    /// The application the SDKs are configured for.
    public var applicationId: String
    /// The SDK configuration string of that application.
    public var configuration: String
    /// The same with the master keys of protocol 4, for SDK 2.0; nil from a server that does not speak it.
    public var configurationV4: String?
    /// The server's process.
    public var pid: Int32
    /// The TCP port it listens on.
    public var port: Int

    /// Makes a description of a listening server.
    public init(
        baseURL: String, enrollmentURL: String, backOfficeURL: String, applicationId: String, configuration: String,
        configurationV4: String? = nil, pid: Int32, port: Int
    ) {
        self.baseURL = baseURL
        self.enrollmentURL = enrollmentURL
        self.backOfficeURL = backOfficeURL
        self.applicationId = applicationId
        self.configuration = configuration
        self.configurationV4 = configurationV4
        self.pid = pid
        self.port = port
    }

    /// The same server, reached through another port of loopback.
    public func reached(throughPort port: Int) -> ServerReady {
        var ready = self
        for path in [\ServerReady.baseURL, \.enrollmentURL, \.backOfficeURL] {
            ready[keyPath: path] = ready[keyPath: path].replacing(":\(self.port)", with: ":\(port)", maxReplacements: 1)
        }
        ready.port = port
        return ready
    }

    /// Reads the file; nil while the server is not ready yet.
    public static func read(_ layout: InstanceLayout) throws -> ServerReady? {
        do {
            return try JSONDecoder().decode(ServerReady.self, from: Files.read(layout.serverReadyPath))
        } catch let error as SystemError where error.errno == ENOENT {
            return nil
        }
    }

    /// Waits until the server is ready, woken by the file's appearance.
    /// - Parameters:
    ///   - timeout: real time to wait at most.
    ///   - process: the server's process; its end ends the wait, and only its own word counts.
    /// - Returns: nil when the time is over or the process has ended first.
    public static func wait(
        _ layout: InstanceLayout, timeout: LabDuration, watching process: ProcessWatch? = nil
    ) throws -> ServerReady? {
        let watch = try DirectoryWatch(layout.serverDirectory)
        let end = Int64(MonotonicClock.nanoseconds()) + timeout.nanoseconds
        while true {
            if let ready = try read(layout), ready.pid == process?.pid ?? ready.pid { return ready }
            let rest = end - Int64(MonotonicClock.nanoseconds())
            guard rest > 0, process?.hasEnded != true else { return nil }
            _ = try Polling.waitReadable(
                [watch.rawDescriptor, process?.rawDescriptor ?? -1], timeoutNanoseconds: rest)
            _ = try watch.changes()
        }
    }

    /// Writes the file in one step.
    public func write(_ layout: InstanceLayout) throws {
        try Files.write(JSONValue(encoding: self).encoded(), to: layout.serverReadyPath)
    }
}
