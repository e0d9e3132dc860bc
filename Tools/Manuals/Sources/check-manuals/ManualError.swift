// SPDX-License-Identifier: Apache-2.0

/// Why the manuals cannot be checked.
enum ManualError: Error, CustomStringConvertible {
    case usage(String)
    case indexDoesNotFit(line: Int)
    case compilerFailed(status: Int32, output: String)

    var description: String {
        switch self {
        case .usage(let problem):
            """
            \(problem)
            usage: check-manuals --manuals DIRECTORY --build DIRECTORY --sources DIRECTORY --surroundings DIRECTORY \
            --table FILE
            """
        case .indexDoesNotFit(let line):
            "the index names line \(line), but the manual is shorter: it is not the text the index was made for"
        case .compilerFailed(let status, let output):
            "the compiler ended with \(status) without naming a line of a manual:\n\(output)"
        }
    }
}
