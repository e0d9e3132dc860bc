public import ArgumentParser
import LabKit

/// The command line that all peers share.
public struct PeerOptions: ParsableArguments {
    /// Directory of the instance to join.
    @Option(help: "Directory of the instance to join.")
    public var instance: String?

    /// The `lab.yaml` from which the instance was made.
    @Option(help: "Join the live instance that was made from this lab.yaml.")
    public var lab: String?

    /// Actor name of the app to play.
    @Option(name: .customLong("as"), help: "Name of the app to play, as the topology lists it.")
    public var name: String

    /// Read commands from standard input.
    @Flag(help: "Read commands from standard input, also when it is not a terminal.")
    public var prompt = false

    /// Set by the device that launches the process.
    @Option(help: .hidden)
    public var incarnation: Int?

    /// One command to run, with its parameters.
    @Argument(help: "A command to run instead of a prompt, followed by its parameters as key=value.")
    public var command: [String] = []

    /// Creates empty options, as the parser needs them.
    public init() {}

    /// The options of a process that its device launches.
    init(_ launch: AppLaunch) {
        // What is not set here was not read either, and cannot be asked for.
        instance = launch.instance
        lab = nil
        name = launch.app
        prompt = false
        incarnation = launch.incarnation
        command = []
    }

    /// What `--help` of a peer explains.
    public static let discussion = """
        Joins a running instance (`lab up`): the one given by --instance, else by the environment variable \
        LAB_INSTANCE, else the only live one made from the file given by --lab, or from ./lab.yaml.

        With a command, runs it, prints the result as JSON and ends. On a terminal without a command, gives a prompt. \
        If the app runs already, commands go to the running process.

        A secret is not written on the command line: key=env:NAME takes it from the environment, key=@- asks for it.
        """
}
