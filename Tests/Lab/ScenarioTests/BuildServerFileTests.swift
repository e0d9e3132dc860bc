// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabReports

@Suite("The files for build servers and schedulers", .endsInTime)
struct BuildServerFileTests {
    private static let folder = Project.path("Examples/ci")

    private static func document(_ name: String) throws -> YAMLNode {
        let file = try SourceFile.read("\(folder)/\(name)").get()
        let collector = DiagnosticCollector()
        let root = YAMLDocument.parse(file, reporting: collector)
        #expect(collector.isEmpty, "\(DiagnosticRenderer().render(collector.diagnostics))")
        return try #require(root)
    }

    /// The texts below a node that call the lab.
    private static func calls(in node: YAMLNode) -> [String] {
        switch node.content {
        case .scalar(let scalar): scalar.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("lab ") }
        case .sequence(let elements): elements.flatMap(calls)
        case .mapping(let entries): entries.flatMap { calls(in: $0.value) }
        }
    }

    @Test func `Each runs shards with one seed and writes their reports`() throws {
        let names = try Files.list(Self.folder).filter { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") }
        #expect(names.count == 3)
        for name in names {
            let calls = Self.calls(in: try Self.document(name))
            let run = try #require(calls.first { $0.hasPrefix("lab run ") }, "\(name)")
            for option in ["--shard", "--seed", "--report"] { #expect(run.contains(" \(option) "), "\(name): \(run)") }
        }
        let script = try String(contentsOfFile: "\(Self.folder)/slurm.sh", encoding: .utf8)
        #expect(script.contains("\nlab run Scenarios --seed 7 --shard auto --report "))
    }

    @Test func `GitHub Actions: each step does one thing, and the verdict needs all shards`() throws {
        let jobs = try #require(try Self.document("github.yml")["jobs"]?.entries)
        #expect(jobs.map(\.key) == ["shard", "verdict"])
        for job in jobs {
            #expect(job.value["runs-on"]?.scalar != nil)
            for step in try #require(job.value["steps"]?.elements) {
                #expect((step["run"] == nil) != (step["uses"] == nil), "\(step.place.label)")
            }
        }
        #expect(
            jobs[0].value["strategy"]?["matrix"]?["shard"]?.elements?.compactMap(\.scalar?.text) == [
                "1", "2", "3", "4",
            ])
        #expect(jobs[1].value["needs"]?.scalar?.text == "shard")
        #expect(jobs[1].value["if"]?.scalar?.text == "always()")
    }

    @Test func `GitLab: each job belongs to an existing stage, and keeps its output`() throws {
        let file = try Self.document("gitlab.yml")
        let stages = try #require(file["stages"]?.elements).compactMap(\.scalar?.text)
        let jobs = try #require(file.entries).filter { $0.value["script"] != nil }
        #expect(jobs.compactMap { $0.value["stage"]?.scalar?.text } == stages)
        for job in jobs { #expect(job.value["artifacts"]?["when"]?.scalar?.text == "always", "\(job.key)") }
    }

    @Test func `Kubernetes: an indexed job has one pod per shard, without retries`() throws {
        let file = try Self.document("kubernetes.yaml")
        #expect(file["apiVersion"]?.scalar?.text == "batch/v1")
        #expect(file["kind"]?.scalar?.text == "Job")
        let spec = try #require(file["spec"])
        #expect(spec["completionMode"]?.scalar?.text == "Indexed")
        #expect(spec["completions"]?.scalar?.text == spec["parallelism"]?.scalar?.text)
        #expect(spec["backoffLimit"]?.scalar?.text == "0")
        let pod = try #require(spec["template"]?["spec"])
        #expect(pod["restartPolicy"]?.scalar?.text == "Never")
        let mounts = pod["containers"]?.elements?.flatMap { $0["volumeMounts"]?.elements ?? [] } ?? []
        #expect(
            mounts.compactMap { $0["name"]?.scalar?.text }
                == pod["volumes"]?.elements?.compactMap { $0["name"]?.scalar?.text })
    }
}
