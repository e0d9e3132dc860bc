internal import LabKit
internal import LabSystem

/// Waits until a link that was taken down or brought up is so at both of its ends: until then messages still pass, or
/// are still refused.
struct LinkSettling {
    let instance: InstanceConnection

    /// The longest wait; an end that has died never tells.
    private static let patience = LabDuration.seconds(2).stretched

    /// Waits after a command to a link.
    ///
    /// - Parameters:
    ///   - name: The link.
    ///   - isUp: How it is to be.
    func wait(for name: String, toBe isUp: Bool) {
        let traces = instance.manifest.tracesDirectory
        // The watch begins before the first look, so that nothing falls in between.
        guard let link = instance.manifest.topology.links.first(where: { $0.name == name }),
            let watch = try? DirectoryWatch(traces)
        else { return }
        let ends = [link.phone, link.watch]
        let deadline = Deadline(after: Self.patience, of: "the link \(name)")
        while !deadline.isOver {
            let changes = ((try? TraceReader.readAll(traces)) ?? []).filter { $0.isChange(ofLink: name) }
            let last = ends.map { end in changes.last { $0.process == end } }
            // An end that has told nothing has never been up.
            if last.allSatisfy({ ($0?.name == .linkUp) == isUp }) { return }
            _ = try? Polling.waitReadable(
                [watch.rawDescriptor], timeoutNanoseconds: deadline.rest.nanoseconds)
            _ = try? watch.changes()
        }
    }
}

extension TraceEvent {
    /// Whether the event tells that a link is up or down from here on.
    func isChange(ofLink link: String) -> Bool {
        (name == .linkUp || name == .linkDown) && fields["link"] == .string(link)
    }
}
