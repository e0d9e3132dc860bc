import LabKit

/// The errors of an own app that scenarios can distinguish: `fails: notLoggedIn`.
///
/// ```swift
/// enum BankError: String, AppError {
///     case notLoggedIn, accountIsBlocked
/// }
/// ```
///
/// An app names its type in ``LabApplication/errors``, so that the lab knows the names before a run.
public protocol AppError: Error, CaseIterable, RawRepresentable<String> {
    /// What happened, for people.
    var message: String { get }
}

extension AppError {
    /// The name; a case with more to say has a message of its own.
    public var message: String { rawValue }

    /// The error as a scenario sees it.
    var controlError: ControlError {
        ControlError(domain: String(describing: Self.self), name: rawValue, message: message)
    }

    static var names: [String] { allCases.map(\.rawValue) }
}
