public import ArgumentParser
import LabKit
import LabProgram

/// A program that plays apps, started by a device or by a person.
public protocol PeerProgram: ParsableCommand {
    /// Its command line.
    var options: PeerOptions { get set }
}

extension PeerProgram {
    /// Reads the command line of the process, plays the app, and ends the process.
    public static func main() { play() }

    /// Reads the command line of the process, plays the app, and ends the process.
    public static func play() -> Never {
        Program.run(Self.self) { arguments in
            AppLaunch(arguments: arguments).map { launch in
                var program = Self()
                program.options = PeerOptions(launch)
                return program
            }
        }
    }
}
