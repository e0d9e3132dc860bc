import Foundation
import LabKit

extension YAMLNode {
    /// The node as JSON, when it has a shape.
    ///
    /// - Returns: nil, with a complaint about `key`, for another shape.
    func json(as shape: YAMLShape, of key: String, reporting collector: DiagnosticCollector) -> JSONValue? {
        guard self.shape == shape else {
            collector.report(.wrongShape(what: "`\(key)`", expected: shape, actual: self.shape), at: place)
            return nil
        }
        return json
    }

    private var json: JSONValue {
        switch content {
        case .mapping(let entries):
            return .object(Dictionary(entries.map { ($0.key, $0.value.json) }) { _, last in last })
        case .sequence(let elements):
            return .array(elements.map(\.json))
        case .scalar(let scalar):
            guard !scalar.isNull else { return .null }
            // A plain scalar is what JSON would read it as; everything else, quoted or not, is text.
            let plain = scalar.isQuoted ? nil : try? JSONValue.parse(Data(scalar.text.utf8))
            return plain ?? .string(scalar.text)
        }
    }
}
