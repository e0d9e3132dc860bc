internal import LabKit
internal import LabSystem

/// Waits until a link that was taken down or brought up is so at both of its ends: until then messages still pass, or
/// are still refused.
struct LinkSettling {
    let instance: InstanceConnection

    /// The longest wait; an end that has died never tells.
    private static let patience = LabDuration.seconds(2).stretched
    /// Milliseconds are what it takes.
    private static let pause: Int64 = 1_000_000

    /// Waits after a command to a link.
    ///
    /// - Parameters:
    ///   - name: The link.
    ///   - isUp: How it is to be.
    func wait(for name: String, toBe isUp: Bool) {
        guard let link = instance.manifest.topology.links.first(where: { $0.name == name }) else { return }
        let ends = [link.phone, link.watch]
        let deadline = Deadline(after: Self.patience, of: "the link \(name)")
        while !deadline.isOver {
            let events = (try? TraceReader.readAll(instance.manifest.tracesDirectory)) ?? []
            let last = ends.map { end in
                events.last {
                    $0.process == end && ($0.name == .linkUp || $0.name == .linkDown)
                        && $0.fields["link"] == .string(name)
                }
            }
            // An end that has told nothing has never been up.
            if last.allSatisfy({ ($0?.name == .linkUp) == isUp }) { return }
            _ = try? Polling.waitReadable([], timeoutNanoseconds: Self.pause)
        }
    }
}
