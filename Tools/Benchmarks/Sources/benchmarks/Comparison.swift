// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A subject and its baseline, measured in the same run.
struct Comparison {
    /// The name in the table.
    let name: String
    /// The greatest acceptable ratio; nil for rows that only explain another one.
    let goal: Double?
    /// Repetitions in one sample; a sample should take a few milliseconds.
    let repetitions: Int
    /// Prepares, outside the measured time, what one sample of the subject consumes.
    var prepare: (Int) throws -> Void = { _ in }
    /// Does the work the given number of times.
    let subject: (Int) throws -> Void
    /// Does the raw work the given number of times.
    let baseline: (Int) throws -> Void

    /// Nanoseconds of one repetition, and their ratio.
    struct Result {
        let subject: Double
        let baseline: Double
        /// Median of the ratios of neighbouring samples, which drifts in machine speed hardly affect.
        let ratio: Double
        /// Middle half of these ratios.
        let spread: ClosedRange<Double>
    }

    /// Takes `rounds` pairs of samples, one of each side, alternating the order.
    func measure(rounds: Int) throws -> Result {
        // Fetching algorithms, tables and code pages is not measured.
        _ = try sampleSubject()
        _ = try sample(baseline)
        var subjects: [Double] = []
        var baselines: [Double] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                subjects.append(try sampleSubject())
                baselines.append(try sample(baseline))
            } else {
                baselines.append(try sample(baseline))
                subjects.append(try sampleSubject())
            }
        }
        let ratios = zip(subjects, baselines).map { $0 / $1 }.sorted()
        return Result(
            subject: median(subjects), baseline: median(baselines), ratio: median(ratios),
            spread: ratios[ratios.count / 4]...ratios[ratios.count * 3 / 4])
    }

    private func sampleSubject() throws -> Double {
        try prepare(repetitions)
        return try sample(subject)
    }

    private func sample(_ work: (Int) throws -> Void) throws -> Double {
        let start = threadTime()
        try work(repetitions)
        return Double(threadTime() - start) / Double(repetitions)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// CPU nanoseconds of this thread; other work on the machine does not count.
    private func threadTime() -> UInt64 { clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID) }
}

#if !canImport(Darwin)
    private func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
#endif
