// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Declares a property of a command as a parameter, or a property of an answer as a member of it.
///
/// The declaration is all there is: name, type, need, default, unit, limit and meaning are read off it.
///
/// ```swift
/// @Field("Name of the account.") public var name: String                        // required
/// @Field("Text for the statement.") public var note: String?                    // may be left out
/// @Field("Currency.", limit: .currency) public var currency: String = "EUR"  // has a default
/// ```
///
/// Reading a required property that was never set is a mistake of the program and stops it.
@propertyWrapper
public struct Field<Value: FieldValue>: Sendable {
    fileprivate var value: Value?
    private let facts: Facts

    /// What is declared beside name and type.
    private struct Facts: Sendable {
        var meaning: Meaning = ""
        var unit: String?
        var limit: Limit?
        var isRequired = true
        var hasDefault = false
    }

    /// A parameter without a default, or a member of an answer. An optional one may be left out, any other must be there.
    public init(_ meaning: Meaning, unit: String? = nil, limit: Limit? = nil) {
        value = Value.absent
        facts = Facts(meaning: meaning, unit: unit, limit: limit, isRequired: value == nil)
    }

    /// A parameter with a default.
    public init(wrappedValue: Value, _ meaning: Meaning, unit: String? = nil, limit: Limit? = nil) {
        facts = Facts(meaning: meaning, unit: unit, limit: limit, isRequired: false, hasDefault: true)
        value = wrappedValue
    }

    fileprivate init(decoded value: Value) {
        self.value = value
        facts = Facts()
    }

    /// The value.
    public var wrappedValue: Value {
        get {
            guard let value else {
                preconditionFailure("A required field of type \(Value.self) was read before it was set.")
            }
            return value
        }
        set { value = newValue }
    }
}

/// What reflection finds of a ``Field`` without knowing its type of value.
protocol AnyField {
    /// The declaration under a property's name.
    func declaration(named name: String) -> FieldDeclaration
}

extension Field: AnyField {
    func declaration(named name: String) -> FieldDeclaration {
        var type = Value.fieldType
        if case .optional(let wrapped) = type { type = wrapped }
        return FieldDeclaration(
            name: name, type: type, isRequired: facts.isRequired,
            // A default is a literal in the source, and every field value has a JSON form.
            defaultValue: facts.hasDefault ? value.flatMap { try? JSONValue(encoding: $0) } : nil,
            unit: facts.unit, limit: facts.limit, meaning: facts.meaning.text)
    }
}

extension Field: Codable {
    public init(from decoder: any Decoder) throws { self.init(decoded: try Value(from: decoder)) }

    public func encode(to encoder: any Encoder) throws {
        guard let value else {
            throw EncodingError.invalidValue(
                Value.self, .init(codingPath: encoder.codingPath, debugDescription: "required, but not set"))
        }
        try value.encode(to: encoder)
    }
}

// What the compiler's `Codable` conformances call for the fields of a command or an answer: the value itself travels,
// and an optional one that is nil is left out.
extension KeyedDecodingContainer {
    public func decode<Value>(_ type: Field<Value>.Type, forKey key: Key) throws -> Field<Value> {
        if !contains(key), let absent = Value.absent { return Field(decoded: absent) }
        return Field(decoded: try decode(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    public mutating func encode<Value>(_ field: Field<Value>, forKey key: Key) throws {
        guard let value = field.value else {
            throw EncodingError.invalidValue(
                Value.self, .init(codingPath: codingPath + [key], debugDescription: "required, but not set"))
        }
        if !value.isAbsent { try encode(value, forKey: key) }
    }
}

/// An object with declared members: the arguments of a command, its answer, or a part of an answer.
///
/// A structure whose stored properties are all ``Field``s, with the initialiser that takes nothing:
///
/// ```swift
/// public struct Account: FieldObject {
///     @Field("Number of the account.") public var number: String
///     @Field("Balance in cents.") public var balance: Int
///     public init() {}
/// }
///
/// Account { $0.number = "42"; $0.balance = 7_00 }
/// ```
public protocol FieldObject: FieldValue {
    /// An object of which only the optional members and those with a default are set.
    init()
}

extension FieldObject {
    /// Creates an object and fills it in.
    public init(_ fill: (inout Self) throws -> Void) rethrows {
        self.init()
        try fill(&self)
    }

    /// The object with its members.
    public static var fieldType: FieldType { .object(fields) }

    /// The declarations, in the order of the properties.
    public static var fields: [FieldDeclaration] {
        let type = ObjectIdentifier(Self.self)
        if let fields = FieldDeclarations.cache.withLock({ $0[type] }) { return fields }
        // Outside of the lock: a field may be an object whose declarations are asked for in turn.
        let fields = Mirror(reflecting: Self()).children.compactMap { child -> FieldDeclaration? in
            // The storage of a property wrapper has the property's name with an underscore.
            guard let label = child.label, let field = child.value as? any AnyField else { return nil }
            return field.declaration(named: String(label.dropFirst()))
        }
        FieldDeclarations.cache.withLock { $0[type] = fields }
        return fields
    }
}

/// Reflection is slow and its outcome never changes, so it is kept for each type.
private enum FieldDeclarations {
    static let cache = Mutex<[ObjectIdentifier: [FieldDeclaration]]>([:])
}
