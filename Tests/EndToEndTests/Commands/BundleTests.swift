// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabReports
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Packing a run to share it.
    @Suite("lab bundle")
    struct BundleTests {
        @Test func `Without payloads no file of it contains request bodies or command answers`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                name: An activation with attributes
                steps:
                  - server: initActivation
                    as: code
                  - main: createActivation
                    with: { activationCode: "${code.activationCode}", name: "${code.userId}-phone" }
                  - main: fetchServerStatus
                  - server: activationStatus
                    with: { activationId: "${code.activationId}" }
                    expect: { activationName: { startsWith: alice } }
                """, to: "scenario.yaml")
            try await onThread {
                #expect(try lab("run", "scenario.yaml", in: workspace).status == 0)
                /// The text of all files in a bundle.
                func text(_ arguments: String...) throws -> String {
                    let packed = try LabCommand(["bundle", "--output", "all.tar.gz"] + arguments, in: workspace)
                        .finish()
                    #expect(packed.status == 0, "\(packed.errors)")
                    let archive = try FileDescriptor.open("\(workspace.directory)/all.tar.gz")
                    #expect(try archive.permissions() == 0o600)
                    let content = try LabCommand(
                        ["-c", "tar -xzOf all.tar.gz"], in: workspace, executable: "/bin/bash"
                    ).finish()
                    let page = try LabCommand(
                        ["-c", "tar -xzOf all.tar.gz --wildcards '*/index.html' > page.html"], in: workspace,
                        executable: "/bin/bash"
                    ).finish()
                    #expect(page.status == 0, "\(page.errors)")
                    return try content.output + ReportPageText.read("\(workspace.directory)/page.html")
                }
                // A name that a request carried, a code that a command answered, and an answer that was not encrypted.
                let payloads = [#/alice-phone/#, #/"activationCode":"[A-Z0-9]/#, #/"answer":{"responseObject"/#]
                let whole = try text()
                for payload in payloads { #expect(whole.contains(payload)) }
                let outline = try text("--redact", "payloads")
                for payload in payloads { #expect(!outline.contains(payload)) }
                // The other content is there, in the records and on the page.
                for word in ["/pa/v3/activation/create", "main: createActivation", "process.ready", "<html"] {
                    #expect(outline.contains(word), "\(word)")
                }

                // A run under another name of the folder is the same run.
                try Files.symlink("\(workspace.directory)/linked", to: ".")
                #expect(try lab("run", "linked/scenario.yaml", in: workspace).status == 0)
                let linked = try text("--redact", "payloads")
                for payload in payloads { #expect(!linked.contains(payload)) }

                let unknown = try lab("bundle", "--redact", "all", in: workspace)
                #expect(unknown.status == 2 && unknown.errors.contains("payloads"), "\(unknown.errors)")
            }
            try workspace.expectNothingLeft()
        }
    }
}
