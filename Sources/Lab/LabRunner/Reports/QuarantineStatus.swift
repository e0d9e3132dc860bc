/// The effect of a scenario's quarantine on its result today.
struct QuarantineStatus {
    /// Why a failure does not count; nil if it does.
    let quarantine: String?
    /// The remark if the scenario passes.
    let remarkOnPassing: String?
    /// The remark if it fails and the failure counts again.
    let remarkOnFailing: String?
}

extension Scenario {
    /// The effect of the quarantine on the day of the run.
    var standing: QuarantineStatus {
        guard let quarantine else {
            return QuarantineStatus(quarantine: nil, remarkOnPassing: nil, remarkOnFailing: nil)
        }
        let passes = "passes although it is quarantined: \(quarantine.sentence); remove `quarantine`"
        guard quarantine.isOver(on: HeaderReader.today) else {
            return QuarantineStatus(quarantine: quarantine.sentence, remarkOnPassing: passes, remarkOnFailing: nil)
        }
        return QuarantineStatus(
            quarantine: nil, remarkOnPassing: passes,
            remarkOnFailing: "its quarantine has ended: \(quarantine.sentence)")
    }
}
