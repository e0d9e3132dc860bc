import Foundation
import LabKit

/// The state of an instance's devices at one moment, as they report it: printed by `lab inspect`, and kept when a
/// scenario fails.
protocol InspectedState: Codable, Sendable {
    /// The file that keeps it, in the directory of a failed scenario.
    static var fileName: String { get }

    /// The devices of a topology that have something to report.
    static func devices(of topology: Topology) -> [DeviceSpec]

    /// Asks the devices.
    ///
    /// - Parameter clients: connections that stay open when those of the steps end.
    init(in connection: InstanceConnection, clients: ControlClients)

    /// Whether any device has answered.
    var isKnown: Bool { get }
}

extension InspectedState {
    /// Reads the output of ``document()``.
    init(reading data: Data) throws {
        self = try JSONDecoder().decode(Self.self, from: data)
    }

    /// The document for programs, with sorted keys.
    func document() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

/// The answer of a device, or why there is no answer.
enum DeviceAnswer<Result: Sendable>: Sendable {
    case told(Result)
    case silent(String)

    /// How long a device may take to answer, in real time.
    private static var patience: LabDuration { .milliseconds(500).stretched }

    /// Asks a device; no app is asked.
    init<C: Command>(to command: C.Type, of device: String, in connection: InstanceConnection, clients: ControlClients)
    where C.Result == Result {
        do {
            let reply = try connection.ask(
                .agent(device), ControlRequest(command: C.name, actor: device), timeout: Self.patience, over: clients)
            self = .told(try reply.get().decode())
        } catch let error as ControlError {
            self = .silent(error.message)
        } catch {
            self = .silent(String(describing: error))
        }
    }
}
