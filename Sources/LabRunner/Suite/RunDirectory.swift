internal import Foundation
internal import LabKit
internal import LabSystem

/// The directory that keeps what a run recorded: `.lab/runs/<id>`, with `latest` pointing at the last one.
struct RunDirectory: Sendable {
    /// Absolute path.
    let path: String

    /// Makes a directory with a new name.
    ///
    /// - Parameter records: Absolute path of the directory that holds `runs`.
    static func create(in records: String) throws -> RunDirectory {
        let runs = "\(records)/runs"
        try Files.createDirectory(runs, mode: 0o755)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let stamp = formatter.string(from: LabTime(nanoseconds: RealTimeClock.nanoseconds()).date)
        let id = "\(stamp)-\(String(UInt16.random(in: .min ... .max), radix: 16))"
        let path = "\(runs)/\(id)"
        try Files.createNewDirectory(path)
        try Files.symlink("\(runs)/latest", to: id)
        return RunDirectory(path: path)
    }

    /// The directory of one scenario.
    func scenario(_ id: String, repetition: Int) -> String {
        let name = id.hasSuffix(".yaml") ? String(id.dropLast(5)) : id
        let slug = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "." ? $0 : "-" })
        return "\(path)/\(slug)\(repetition == 0 ? "" : "~\(repetition + 1)")"
    }
}
