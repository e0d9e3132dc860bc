import LabFile

extension YAMLNode {
    /// A text from the command line, the environment or a table. It never becomes a reference, and it is quoted, so
    /// that it is read by the declared type where it is used, without guessing.
    init(fromOutside text: String, at place: SourcePlace) {
        self.init(.scalar(YAMLScalar(text: text.replacing("${", with: "$${"), isQuoted: true)), at: place)
    }
}
