/// A task over a number of connections, and the same load on the baseline.
struct LoadComparison {
    let task: LoadTask
    let connections: Int
    var baseline = BaselineServer.Work.update

    /// What both sides reached.
    struct Result {
        let server: LoadSamples
        let baseline: LoadSamples
        /// Median of the ratios of neighbouring samples, which drifts of the machine's speed hardly touch.
        let ratio: Double
    }

    /// The least good ratio; nil for rows that only explain another one.
    var goal: Double? {
        connections == ServerLoad.connectionCounts.max() && baseline == .update ? ServerLoad.rateGoal : nil
    }

    /// Takes pairs of samples, one of each side, swapping who comes first; the first pair only warms up.
    func measure(fleet: Fleet, baseline process: ServerProcess, rounds: Int) throws -> Result {
        var (servers, baselines) = (LoadSamples(), LoadSamples())
        for round in 0...rounds {
            let requests = try fleet.requests(of: task, connections: connections)
            let load = LoadGenerator(path: task.path, requests: requests, expected: task.expected)
            let raw = LoadGenerator(path: baseline.path, requests: requests, expected: BaselineServer.answer)
            let sample: LoadGenerator.Outcome
            let other: LoadGenerator.Outcome
            if round.isMultiple(of: 2) {
                sample = try load.run(port: fleet.server.port)
                other = try raw.run(port: process.port)
            } else {
                other = try raw.run(port: process.port)
                sample = try load.run(port: fleet.server.port)
            }
            guard round > 0 else { continue }
            servers.add(sample)
            baselines.add(other)
        }
        let ratios = zip(servers.rates, baselines.rates).map { $0 / $1 }.sorted()
        return Result(server: servers, baseline: baselines, ratio: ratios[ratios.count / 2])
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
