// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParserProperties

// The parser under test is named by the variable FUZZ_TARGET; `list` prints all names. The first argument that
// is no option is libFuzzer's corpus, to which the examples of the parser are added.

/// The property under test; set before the first input arrives and never again, on libFuzzer's one thread.
nonisolated(unsafe) private var property: ParserProperty?

/// Called once by libFuzzer before the first input.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let selected = ParserProperty.all.first(where: { $0.name == name }) else {
        let names = ParserProperty.all.map(\.name).joined(separator: "\n")
        if name != "list" { print("FUZZ_TARGET must name one of these parsers:") }
        print(names)
        exit(name == "list" ? 0 : 2)
    }
    property = selected
    let texts = (1..<max(1, Int(count.pointee))).compactMap { arguments.pointee[$0].map { String(cString: $0) } }
    if let corpus = texts.first(where: { !$0.hasPrefix("-") }) { addExamples(of: selected, to: corpus) }
    return 0
}

/// Called by libFuzzer for every input. A broken rule ends the process, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    do {
        try property?.check(Data(bytes: start, count: count))
    } catch {
        fatalError("\(error)")
    }
    return 0
}

private func addExamples(of property: ParserProperty, to corpus: String) {
    for (index, example) in property.examples.enumerated() {
        do {
            try example.write(to: URL(fileURLWithPath: corpus).appendingPathComponent("example-\(index)"))
        } catch {
            print("The corpus \(corpus) cannot be written: \(error)")
            exit(2)
        }
    }
}
