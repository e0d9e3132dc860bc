import LabKit
import LabSystem

/// Waits until both ends of a link have the wanted state: until then messages still pass, or are still rejected.
struct LinkSettling {
    let instance: InstanceConnection

    /// The maximum wait; an end that has died never reports.
    private static let patience = LabDuration.seconds(2).stretched

    /// Waits at the start of an instance until its devices have connected, and every watch session shows whether its
    /// counterpart is reachable: otherwise the first step would meet a watch that is not yet in reach.
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
    ///   - isUp: The wanted state.
    func wait(for name: String, toBe isUp: Bool) {
        guard let link = instance.manifest.topology.links.first(where: { $0.name == name }) else { return }
        wait(for: "the link \(name)") { events in
            let changes = events().filter { $0.isChange(ofLink: name) }
            let last = [link.phone, link.watch].map { end in changes.last { $0.process == end } }
            // An end that has reported nothing has never been up.
            return last.allSatisfy { ($0?.name == .linkUp) == isUp }
        }
    }

    /// Checks again whenever a process has reported something.
    ///
    /// - Parameter isSo: The condition. Gets a function that returns all events reported so far.
    private func wait(for what: String, until isSo: (_ events: () -> [TraceEvent]) -> Bool) {
        let traces = instance.manifest.tracesDirectory
        // Starts watching before the first check, so that no event is missed in between.
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
    /// Whether the event reports that a link is up or down from here on.
    func isChange(ofLink link: String) -> Bool {
        (name == .linkUp || name == .linkDown) && fields["link"] == .string(link)
    }
}
