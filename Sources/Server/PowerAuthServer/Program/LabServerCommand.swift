// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
import LabCore
import LabFile
import LabProgram
import LabSystem

/// The command line of the server: alone in a directory of its own, or as a member of a lab instance.
package struct LabServerCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lab-server",
        abstract: "Runs a PowerAuth server with its mobile-facing and back-office APIs.",
        discussion: """
            Without an instance the server keeps its data in --directory and runs on the machine's clock. \
            With --instance it takes directory, port, clock, faults and trace from the instance and ends with it. \
            Every limit and validity time has the original's default; --config changes them, with the keys that \
            docs/lab-server.md lists.
            """)

    @Option(help: "Directory of a running lab instance to join.")
    var instance: String?

    @Option(help: "Directory for the data of a server on its own; .lab/server unless given.")
    var directory: String?

    @Option(help: "File with the server's settings (YAML or JSON).")
    var config: String?

    @Option(help: "TCP port; 0 takes any free one, which is the default.")
    var port: Int?

    @Option(
        help: """
            Name or address to listen on, 0.0.0.0 for all; 127.0.0.1 unless given. Beyond this machine only with \
            --restrict-access and --tls, or with --insecure.
            """)
    var host: String?

    @Flag(help: "Allow --host beyond this machine without credentials or without TLS.")
    var insecure = false

    @Option(help: "Identifier of the application created at the first start.")
    var application = "lab"

    @Option(help: "Certificate to show over TLS: valid, self-signed, expired or wrong-host; plain HTTP without it.")
    var tls: CertificateKind?

    @Option(help: "File with the OpenID Connect providers that DIRECT activations may name (JSON list).")
    var identityProviders: String?

    @Flag(help: "Open the back office to integrations only; the credentials of the first one are printed.")
    var restrictAccess = false

    @Flag(help: "Let devices unlock the vault with biometry in place of knowledge.")
    var vaultWithBiometry = false

    @Flag(help: "Refuse values of a request whose form is not the described one, such as a number for a text.")
    var strictJson = false

    @Flag(help: "Offer /lab/**: faults, traffic with its decrypted bodies, snapshots and seeding.")
    var labPowers = false

    @Flag(help: "Do not log requests to standard error.")
    var quiet = false

    @Option(help: "File to write the server's addresses to when it listens (JSON).")
    var readyFile: String?

    @Flag(help: .hidden)
    var libraries = false

    package func validate() throws {
        guard instance == nil || directory == nil else {
            throw ValidationError("Give either --directory for a server on its own, or --instance to join a lab.")
        }
        guard instance == nil || config == nil else {
            throw ValidationError("An instance has its settings from lab.yaml; --config is for a server on its own.")
        }
        guard instance == nil || host == nil else {
            throw ValidationError("An instance has its host from lab.yaml; --host is for a server on its own.")
        }
        guard (0...65535).contains(port ?? 0) else { throw ValidationError("--port must be 0 to 65535.") }
    }

    package init() {}

    package static func main() { Program.run(Self.self) }

    package func run() throws {
        if libraries {
            // `lab doctor` asks, because only this program has them all.
            return print(String(decoding: try JSONTextEncoder.encode(ServerLibraries.versions()), as: UTF8.self))
        }
        // Before any thread exists: a signal must find it blocked everywhere but on the thread that waits for it.
        Signals.block([SIGTERM, SIGINT])
        Signals.ignore(SIGPIPE)
        if let instance {
            try MemberServer(joining: InstanceLayout(root: instance)).run()
        } else {
            var configuration = ServerConfiguration(directory: directory ?? ".lab/server")
            if let config { configuration.apply(try ConfigurationFile.read(config)) }
            if let port { configuration.port = port }
            if let host { configuration.host = host }
            if insecure { configuration.isInsecureAllowed = true }
            if restrictAccess { configuration.policy.isBackOfficeRestricted = true }
            if vaultWithBiometry { configuration.policy.isVaultOpenedByBiometry = true }
            if strictJson { configuration.policy.isJSONStrict = true }
            limitConnections(of: &configuration)
            configuration.applicationId = application
            configuration.hasLabPowers = labPowers
            if let tls { configuration.certificate = tls }
            if let identityProviders {
                configuration.identityProviders = try JSONValue.parse(Files.read(identityProviders)).decode()
            }
            do {
                _ = try ListenPolicy(configuration)
            } catch {
                throw ValidationError("\(error)")
            }
            try StandaloneServer(configuration: configuration, readyFile: readyFile, logsRequests: !quiet).run()
        }
    }

    /// A server that cannot open a file for a connection stops taking any; so it takes as many as it can open.
    private func limitConnections(of configuration: inout ServerConfiguration) {
        // The database, its journals, event loops, standard streams, and calls to others.
        let others = 128
        let files = OpenFileLimit.raise(to: configuration.limits.connections + others)
        configuration.limits.connections = max(1, min(configuration.limits.connections, files - others))
    }
}

extension CertificateKind: ExpressibleByArgument {}

/// The file that `--config` names.
enum ConfigurationFile {
    /// Reads the settings.
    /// - Throws: `ValidationError` with every mistake of the file, each at its place.
    static func read(_ path: String) throws -> ServerSpec {
        let collector = DiagnosticCollector()
        switch SourceFile.read(path) {
        case .failure(let diagnostic): throw ValidationError(DiagnosticRenderer().render(diagnostic))
        case .success(let file):
            guard let spec = ServerSpecReader(collector).read(file) else {
                let renderer = DiagnosticRenderer(secrets: collector.secretRanges)
                throw ValidationError("\(path) cannot be used.\n" + renderer.render(collector.diagnostics))
            }
            return spec
        }
    }
}
