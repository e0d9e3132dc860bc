// SPDX-License-Identifier: Apache-2.0

/// The options of the command line.
struct LoadOptions {
    static let usage = """
        usage: server-load [--against URL] LAB-SERVER [ROUNDS [PART]]
          URL         another PowerAuth server to compare with, in place of the baseline: the root of its back
                      office, such as http://127.0.0.1:8080/powerauth-java-server; it gets an application's
                      worth of activations, so use an expendable one
          LAB-SERVER  the program to measure
          ROUNDS      samples for each figure (5)
          PART        only tasks with this part in their name; the last one is called memory
        """

    let program: String
    let rounds: Int
    /// The other side; nil for the baseline.
    let other: ServerAddress?
    private let part: String

    /// Nil for arguments that make no sense.
    init?(_ arguments: [String]) {
        var arguments = arguments[...]
        if arguments.first == "--against" {
            guard let text = arguments.dropFirst().first, let address = try? ServerAddress(text) else { return nil }
            other = address
            arguments = arguments.dropFirst(2)
        } else {
            other = nil
        }
        let words = Array(arguments)
        guard (1...3).contains(words.count), let rounds = words.count == 1 ? 5 : Int(words[1]), rounds > 0 else {
            return nil
        }
        program = words[0]
        self.rounds = rounds
        part = words.count == 3 ? words[2] : ""
    }

    func wants(_ name: String) -> Bool { part.isEmpty || name.contains(part) }
}
