import SimulatedDevice

/// A file of which the head has arrived, with as much of its content as is there.
struct ArrivingFile: Equatable, Sendable {
    /// What came first and describes the file.
    var head: Inbox.Entry
    /// The content of the head.
    let file: WatchFile
    /// The content so far, in order.
    private(set) var parts: [Inbox.Entry] = []
    /// Bytes of the content so far.
    private(set) var size = 0

    init(head: Inbox.Entry, file: WatchFile) {
        self.head = head
        self.file = file
    }

    var isWhole: Bool { size == file.size }

    /// The head and the parts.
    var pieces: [Inbox.Entry] { [head] + parts }

    mutating func add(_ part: Inbox.Entry) {
        parts.append(part)
        size += part.body.count
    }
}
