/// The two variants in which the SDKs send to the counterpart (watch.md, section 2).
public enum Delivery: String, Choice {
    /// Returns at once; the message arrives eventually, also after a restart of either side.
    case guaranteed
    /// Waits for the answer of the counterpart, which must be reachable.
    case immediate
}
