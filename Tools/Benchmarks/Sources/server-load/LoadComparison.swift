// SPDX-License-Identifier: Apache-2.0

/// A task over a number of connections, and the same load on the other side.
struct LoadComparison {
    let task: LoadTask
    let connections: Int
    let other: OtherSide

    /// The results of both sides.
    struct Result {
        let server: LoadSamples
        let baseline: LoadSamples
        /// Median of the ratios of neighbouring samples, which drifts in machine speed hardly affect.
        let ratio: Double
    }

    /// The lowest acceptable ratio; nil for rows that only explain another one.
    var goal: Double? {
        guard case .baseline(_, .update) = other else { return nil }
        return connections == ServerLoad.connectionCounts.max() ? ServerLoad.rateGoal : nil
    }

    /// Takes pairs of samples, one of each side, alternating the order; the first pair only warms up.
    func measure(_ fleet: Fleet, rounds: Int) throws -> Result {
        var (servers, baselines) = (LoadSamples(), LoadSamples())
        for round in 0...rounds {
            let requests = try fleet.devices.requests(of: task, connections: connections)
            let load = LoadGenerator(
                fleet.server.address, path: task.path, requests: requests, expected: task.expected)
            let raw = try other.load(task, connections: connections, like: requests)
            let sample: LoadGenerator.Outcome
            let opposite: LoadGenerator.Outcome
            if round.isMultiple(of: 2) {
                sample = try load.run()
                opposite = try raw.run()
            } else {
                opposite = try raw.run()
                sample = try load.run()
            }
            guard round > 0 else { continue }
            servers.add(sample)
            baselines.add(opposite)
        }
        let ratios = zip(servers.rates, baselines.rates).map { $0 / $1 }.sorted()
        return Result(server: servers, baseline: baselines, ratio: ratios[ratios.count / 2])
    }
}

/// The other side of the comparison.
enum OtherSide {
    /// The baseline gets the same requests as the server.
    case baseline(ServerProcess, BaselineServer.Work)
    /// Another PowerAuth server has its own devices.
    case powerAuth(OtherServer)

    func load(_ task: LoadTask, connections: Int, like requests: [[LoadRequest]]) throws -> LoadGenerator {
        switch self {
        case .baseline(let process, let work):
            LoadGenerator(process.address, path: work.path, requests: requests, expected: BaselineServer.answer)
        case .powerAuth(let server):
            LoadGenerator(
                server.address, path: task.path,
                requests: try server.devices.requests(of: task, connections: connections), expected: task.expected)
        }
    }
}

/// Rates and times of several samples of one side.
struct LoadSamples {
    private(set) var rates: [Double] = []
    private var latencies: [UInt64] = []

    mutating func add(_ outcome: LoadGenerator.Outcome) {
        rates.append(Double(outcome.latencies.count) / outcome.seconds)
        latencies += outcome.latencies
    }

    /// Requests in a second, the median of the samples.
    var rate: Double { rates.sorted()[rates.count / 2] }

    /// Milliseconds within which this share of all requests was answered.
    func milliseconds(share: Double) -> Double {
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000_000
    }
}
