/// One line of the report that is written during a run.
enum RunEvent: Encodable, Sendable {
    /// The scenarios are chosen; nothing has been launched yet.
    case runStarted(RunStarted)
    /// A scenario begins.
    case scenarioStarted(ScenarioStarted)
    /// A scenario has ended.
    case scenarioFinished(ScenarioFinished)
    /// The run is over.
    case runFinished(RunFinished)

    struct RunStarted: Encodable, Sendable {
        let event = "run.started"
        /// Version of the format, the same as that of a ``JSONReport``.
        let version = JSONReport.version
        let seed: UInt64
        /// Number of scenarios to run, each row and each repetition counted; nil if known only at the end.
        let scenarios: Int?
        /// The directory of the run's records.
        let directory: String
    }

    struct ScenarioStarted: Encodable, Sendable {
        let event = "scenario.started"
        /// Number of the scenario in this run, from 1.
        let number: Int
        /// Seconds since the beginning of the run.
        let at: Double
        let id: String
        let name: String
        let seed: UInt64
    }

    struct ScenarioFinished: Encodable, Sendable {
        let event = "scenario.finished"
        /// Number of the scenario in this run, from 1.
        let number: Int
        /// Seconds since the beginning of the run.
        let at: Double
        let result: ScenarioResult
    }

    struct RunFinished: Encodable, Sendable {
        let event = "run.finished"
        /// Seconds since the beginning of the run.
        let at: Double
        /// Number of scenarios that have ended; fewer than announced if the run was cut short.
        let scenarios: Int
        /// Number of those that count against the run.
        let failures: Int
        let exitCode: Int32
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .runStarted(let event): try event.encode(to: encoder)
        case .scenarioStarted(let event): try event.encode(to: encoder)
        case .scenarioFinished(let event): try event.encode(to: encoder)
        case .runFinished(let event): try event.encode(to: encoder)
        }
    }
}
