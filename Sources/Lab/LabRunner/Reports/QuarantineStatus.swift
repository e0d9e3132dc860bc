/// What the quarantine of a scenario means for its result today.
struct QuarantineStatus {
    /// Why a failure does not count; nil when it does.
    let quarantine: String?
    /// What is said when the scenario passes all the same.
    let remarkOnPassing: String?
    /// What is said when it fails and that counts again.
    let remarkOnFailing: String?
}

extension Scenario {
    /// What the quarantine means on the day of the run.
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
