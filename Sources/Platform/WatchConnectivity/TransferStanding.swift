/// How far a guaranteed transfer is.
enum TransferStanding: Sendable {
    /// The system has not taken it.
    case refused
    /// It is queued or under way.
    case underWay
    /// It has arrived, was taken back, or failed on its way.
    case ended
}
