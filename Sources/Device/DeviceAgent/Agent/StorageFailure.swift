import GRDB
import LabKit
import LabSystem
import SimulatedDevice

/// An error of the device's storage, as traces and apps see it.
struct StorageFailure: Equatable {
    /// Name of the system error, such as `ENOSPC`.
    let name: String

    init(_ error: any Error) {
        name =
            switch error {
            case let refusal as DeviceDisk.Refusal: refusal.rawValue
            case let fault as InjectedFault: fault.errno == nil ? "EIO" : fault.error
            case let error as SystemError: error.name
            case let error as DatabaseError where error.resultCode == .SQLITE_FULL: "ENOSPC"
            case let error as DatabaseError where error.resultCode == .SQLITE_READONLY: "EROFS"
            default: "EIO"
            }
    }

    /// The `WCError.Code` with which an operation ends that needs the storage (watch.md, section 9.7).
    var code: Int {
        ["ENOSPC", "EDQUOT"].contains(name) ? LinkCode.insufficientSpace : LinkCode.fileAccessDenied
    }
}

extension TraceWriter {
    /// Traces that the storage of the device has refused a write of the device itself.
    ///
    /// - Parameter bytes: nil when it is not known how many there were.
    func emit(_ failure: StorageFailure, of what: String, bytes: Int? = nil) {
        var fields: [String: JSONValue] = ["what": .string(what), "error": .string(failure.name)]
        fields["bytes"] = bytes.map { .integer(Int64($0)) }
        emit(.diskRefused, fields)
    }
}

extension DeviceAgent {
    /// Does work that no operation waits for. If the storage refuses a write, the old state stays, which is traced;
    /// neither the device nor its apps end.
    func enduring(_ what: String, _ body: () throws -> Void) {
        do { try body() } catch { trace.emit(StorageFailure(error), of: what) }
    }
}
