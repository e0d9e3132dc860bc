import Synchronization

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
