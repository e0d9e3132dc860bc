internal import LabKit
internal import LabSystem

/// Waits until a link is at both of its ends what it is to be: until then messages still pass, or are still refused.
struct LinkSettling {
    let instance: InstanceConnection

    /// The longest wait; an end that has died never tells.
    private static let patience = LabDuration.seconds(2).stretched

    /// Waits at the start of an instance until its devices have found each other, and every watch session shows whether
    /// its counterpart can be reached: the first step would meet a watch that is still to come into reach.
    func waitForStart() {
        let manifest = instance.manifest
        let links = manifest.topology.linksInUse.filter { manifest.plays($0.phone) && manifest.plays($0.watch) }
        guard !links.isEmpty else { return }
        wait(for: "the links of a new instance") { events in
            let state = LinkState(in: instance)
            let told = events().lastReachability
            return links.allSatisfy { state.isSettledAtStart($0, told: told) }
        }
    }

    /// Waits after a command to a link.
    ///
    /// - Parameters:
    ///   - name: The link.
    ///   - isUp: How it is to be.
    func wait(for name: String, toBe isUp: Bool) {
        guard let link = instance.manifest.topology.links.first(where: { $0.name == name }) else { return }
        wait(for: "the link \(name)") { events in
            let changes = events().filter { $0.isChange(ofLink: name) }
            let last = [link.phone, link.watch].map { end in changes.last { $0.process == end } }
            // An end that has told nothing has never been up.
            return last.allSatisfy { ($0?.name == .linkUp) == isUp }
        }
    }

    /// Looks again whenever a process has told something.
    ///
    /// - Parameter isSo: Gets what reads everything that was told so far.
    private func wait(for what: String, until isSo: (_ events: () -> [TraceEvent]) -> Bool) {
        let traces = instance.manifest.tracesDirectory
        // The watch begins before the first look, so that nothing falls in between.
        guard let watch = try? DirectoryWatch(traces) else { return }
        let deadline = Deadline(after: Self.patience, of: what)
        while !deadline.isOver, !isSo({ (try? TraceReader.readAll(traces)) ?? [] }) {
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
