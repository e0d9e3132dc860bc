import Foundation

/// A subject and the baseline it is measured against in the same run.
struct Comparison {
    /// What the table calls it.
    let name: String
    /// Greatest ratio that is good; nil for rows that only explain another one.
    let goal: Double?
    /// Repetitions in one sample; a sample should take a few milliseconds.
    let repetitions: Int
    /// Makes ready, outside of the measured time, what one sample of the subject uses up.
    var prepare: (Int) throws -> Void = { _ in }
    /// Does the work so many times.
    let subject: (Int) throws -> Void
    /// Does the raw work so many times.
    let baseline: (Int) throws -> Void

    /// Nanoseconds of one repetition, and their ratio.
    struct Result {
        let subject: Double
        let baseline: Double
        /// Median of the ratios of neighbouring samples, which drifts of the machine's speed hardly touch.
        let ratio: Double
        /// Middle half of these ratios.
        let spread: ClosedRange<Double>
    }

    /// Takes `rounds` pairs of samples, one of each side, swapping who comes first.
    func measure(rounds: Int) throws -> Result {
        // Fetching algorithms, tables and code pages is not what is measured.
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

    /// Nanoseconds this thread has computed; other work on the machine does not count.
    private func threadTime() -> UInt64 { clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID) }
}

#if !canImport(Darwin)
    private func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
#endif
