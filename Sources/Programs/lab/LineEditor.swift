// SPDX-License-Identifier: Apache-2.0

import CLineEditor
import Foundation
import LabSystem
import LabTools

/// Lines typed on a terminal: editing, history with the arrows and Ctrl-R, completion with Tab.
///
/// Main thread only.
final class LineEditor: ShellInput {
    private let editor: OpaquePointer
    private let history: ShellHistory?
    fileprivate var completing: (String) -> (word: String, choices: [String]) = { _ in ("", []) }

    let isInteractive = true

    /// - Parameter history: keeps lines for the next session; nil keeps none.
    init?(history: ShellHistory?) {
        self.history = history
        let context = Unmanaged<Slot>.passRetained(Slot())
        guard let editor = line_editor_open("lab", { complete($0, $1, $2, $3, $4, $5) }, context.toOpaque()) else {
            context.release()
            return nil
        }
        self.editor = editor
        slot = context
        context.takeUnretainedValue().owner = self
        for line in history?.lines() ?? [] { line_editor_remember(editor, line) }
    }

    /// What the C side holds: it outlives no editor and owns none.
    fileprivate final class Slot {
        weak var owner: LineEditor?
    }

    private let slot: Unmanaged<Slot>

    deinit {
        line_editor_close(editor)
        slot.release()
    }

    func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String? {
        self.completing = completing
        while true {
            var line: UnsafePointer<CChar>?
            switch line_editor_read(editor, prompt, &line) {
            case LINE_EDITOR_LINE: return line.map { String(cString: $0) }
            case LINE_EDITOR_INTERRUPTED: continue
            default: return nil
            }
        }
    }

    var end: @Sendable () -> Void {
        // Safe: stopping is the one thing that any thread may do, and the process ends before the editor does.
        nonisolated(unsafe) let editor = editor
        return { line_editor_stop(editor) }
    }

    func secretLine(named name: String) -> String? { try? Console.readInput(name) }

    func remember(_ lines: [String], isSecret: Bool) {
        for line in lines where !line.isEmpty {
            line_editor_remember(editor, line)
            if !isSecret { history?.append(line) }
        }
    }
}

/// The lines of earlier sessions, one of a file each; the user's alone.
struct ShellHistory {
    let path: String
    private static let kept = 1000

    /// The newest lines, the oldest of them first.
    func lines() -> [String] {
        guard let data = try? Files.read(path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(Self.kept).map(String.init)
    }

    /// Adds a line. A history that cannot be written does not end the session.
    func append(_ line: String) {
        try? Files.createDirectory(Files.directory(of: path), mode: 0o755)
        try? Files.write(Data((lines() + [line]).suffix(Self.kept).joined(separator: "\n").utf8), to: path)
    }
}

/// Completes a line: with the common prefix of all choices, or else lists the choices.
private func complete(
    _ context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>?, _ length: Int,
    _ insertion: UnsafeMutablePointer<CChar>?, _ choices: UnsafeMutablePointer<CChar>?, _ capacity: Int
) {
    guard let context, let line, let insertion, let choices,
        let owner = Unmanaged<LineEditor.Slot>.fromOpaque(context).takeUnretainedValue().owner
    else { return }
    let bytes = UnsafeRawBufferPointer(start: line, count: length)
    let found = owner.completing(String(decoding: bytes, as: UTF8.self))
    guard let first = found.choices.first else { return }
    var common = found.choices.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    // A finished word is followed by the next one; behind a sign or a bracket its value comes.
    if found.choices.count == 1, !"= ".contains(common.last ?? " ") { common += " " }
    if common.count > found.word.count {
        copy(String(common.dropFirst(found.word.count)), to: insertion, capacity)
    } else {
        // What all of them begin with, up to the last sign, is on the line already.
        let shown = found.word.lastIndex { "={".contains($0) }.map { found.word[...$0].count } ?? 0
        copy(found.choices.map { String($0.dropFirst(shown)) }.joined(separator: "  "), to: choices, capacity)
    }
}

private func copy(_ text: String, to target: UnsafeMutablePointer<CChar>, _ capacity: Int) {
    let bytes = Array(text.utf8.prefix(capacity - 1)) + [0]
    for (index, byte) in bytes.enumerated() { target[index] = CChar(bitPattern: byte) }
}

/// Lines of a file or a pipe.
final class PipedLines: ShellInput {
    let isInteractive = false
    let end: @Sendable () -> Void = { close(0) }

    func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String? {
        readLine()
    }

    func secretLine(named name: String) -> String? { readLine() }

    func remember(_ lines: [String], isSecret: Bool) {}
}
