// SPDX-License-Identifier: Apache-2.0

import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds every mistake that the rules can make in a file.
///
/// The rules know the syntax only: a mistake may be one that does not compile, which the build shows.
final class ChangeFinder: SyntaxVisitor {
    private(set) var changes: [Change] = []

    /// All mistakes of a file, in the order of their places.
    static func changes(in text: String) -> [Change] {
        let parsed = Parser.parse(source: text)
        // The lab's own operators have no precedence here; such an expression stays unfolded and gives no mistake.
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        let finder = ChangeFinder(viewMode: .sourceAccurate)
        finder.walk(folded)
        return finder.changes.sorted { $0.start < $1.start }
    }

    // MARK: Where code cannot choose at run time

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    /// The default of a public parameter may not use what is private in its file.
    override func visit(_ node: FunctionParameterClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    /// A table of numbers: the compiler gives up on an expression with a choice in each.
    override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
        node.elements.count > 8 ? .skipChildren : .visitChildren
    }

    // MARK: Expressions

    private static let shifted = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"]
    private static let opposite = ["==": "!=", "!=": "=="]

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else { return .visitChildren }
        let left = node.leftOperand
        let right = node.rightOperand
        if let other = Self.shifted[sign] {
            change(.comparison, node, to: "\(left.trimmed) \(other) \(right.trimmed)")
        } else if let other = Self.opposite[sign] {
            change(.condition, node, to: "\(left.trimmed) \(other) \(right.trimmed)")
        } else if sign == "&&" || sign == "||" {
            change(.half, node, to: left.trimmedDescription)
            change(.half, node, to: right.trimmedDescription)
        }
        return .visitChildren
    }

    override func visit(_ node: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
        for element in node {
            guard let condition = element.condition.as(ExprSyntax.self) else { continue }
            negate(condition)
            if node.count > 1 { change(.half, condition, to: "true") }
        }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        change(
            .branches, node,
            to: "\(node.condition.trimmed) ? \(node.elseExpression.trimmed) : \(node.thenExpression.trimmed)")
        return .visitChildren
    }

    private func negate(_ condition: ExprSyntax) {
        if let infix = condition.as(InfixOperatorExprSyntax.self),
            let sign = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text, Self.opposite[sign] != nil
        {
            return
        }
        if let prefix = condition.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
            change(.condition, condition, to: prefix.expression.trimmedDescription)
        } else {
            change(.condition, condition, to: "!(\(condition.trimmed))")
        }
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let digits = node.literal.text.replacing("_", with: "")
        let value =
            digits.hasPrefix("0x") ? Int(digits.dropFirst(2), radix: 16) : Int(digits, radix: 10)
        guard let value, value < Int.max else { return .skipChildren }
        change(.constant, node, to: "\(value + 1)")
        if value > 0 { change(.constant, node, to: "\(value - 1)") }
        return .skipChildren
    }

    override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = Double(node.literal.text.replacing("_", with: "")) else { return .skipChildren }
        change(.constant, node, to: "\(value + 1)")
        return .skipChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        // The order says nothing in the smallest and the largest of several.
        guard !isDelegation(node), !["min", "max"].contains(node.calledExpression.trimmedDescription) else {
            return .visitChildren
        }
        let arguments = Array(node.arguments)
        for (index, (one, next)) in zip(arguments, arguments.dropFirst()).enumerated()
        where canSwap(one.expression, next.expression) {
            var list = arguments
            list[index] = one.with(\.expression, next.expression)
            list[index + 1] = next.with(\.expression, one.expression)
            change(.arguments, node, to: node.with(\.arguments, LabeledExprListSyntax(list)).trimmedDescription)
        }
        return .visitChildren
    }

    /// Whether two arguments may have the same type, judged by their form.
    private func canSwap(_ one: ExprSyntax, _ other: ExprSyntax) -> Bool {
        guard one.trimmedDescription != other.trimmedDescription else { return false }
        let literals: [SyntaxKind] = [
            .stringLiteralExpr, .integerLiteralExpr, .booleanLiteralExpr, .closureExpr, .arrayExpr, .dictionaryExpr,
        ]
        if one.kind == .closureExpr || other.kind == .closureExpr { return false }
        return one.kind == other.kind || !literals.contains(one.kind) && !literals.contains(other.kind)
    }

    private func isDelegation(_ call: FunctionCallExprSyntax) -> Bool {
        let name = call.calledExpression.trimmedDescription
        return name.hasSuffix(".init") && (name.hasPrefix("self") || name.hasPrefix("super"))
    }

    // MARK: Statements

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        let conditions = node.conditions.compactMap { $0.condition.as(ExprSyntax.self) }
        guard conditions.count == node.conditions.count else { return .visitChildren }
        changes.append(
            Change(kind: .guard, edits: conditions.map { Edit(range: $0.bytes, mutant: "true", form: .expression) }))
        return .visitChildren
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        switch node.item {
        case .stmt(let statement):
            if statement.is(BreakStmtSyntax.self) || statement.is(ContinueStmtSyntax.self) { remove(node) }
            if let deferred = statement.as(DeferStmtSyntax.self), let body = deferred.body.statements.bytesOfAll {
                // Inside of the `defer`: a branch around it would end before the function does.
                changes.append(
                    Change(kind: .statement, edits: [Edit(range: body, mutant: "", form: .statement)]))
            }
        case .expr(let expression): visitStatement(node, expression)
        case .decl: break
        }
        return .visitChildren
    }

    /// Calls that end the process in impossible cases; without them nothing changes.
    private static let assertions: Set = ["precondition", "preconditionFailure", "assert", "fatalError"]

    private func visitStatement(_ item: CodeBlockItemSyntax, _ expression: ExprSyntax) {
        if let infix = expression.as(InfixOperatorExprSyntax.self) {
            let sign = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? "="
            // An initialiser without one of its assignments does not compile.
            if sign.hasSuffix("="), Self.opposite[sign] == nil, Self.shifted[sign] == nil, !item.isInInitializer {
                remove(item)
            }
            return
        }
        var call = expression
        var waits = false
        while true {
            if let attempt = call.as(TryExprSyntax.self) {
                call = attempt.expression
            } else if let wait = call.as(AwaitExprSyntax.self) {
                call = wait.expression
                waits = true
            } else {
                break
            }
        }
        guard let call = call.as(FunctionCallExprSyntax.self), !item.isValueOfItsBody, !isDelegation(call),
            !Self.assertions.contains(call.calledExpression.trimmedDescription)
        else { return }
        remove(item)
        if waits {
            change(.wait, item.item, to: "Task { \(expression.trimmed) }", .statement)
        }
        cutLock(item, call)
    }

    private func remove(_ item: CodeBlockItemSyntax) {
        change(.statement, item.item, to: "", .statement)
    }

    /// A section under a lock of two or more statements becomes two sections.
    private func cutLock(_ item: CodeBlockItemSyntax, _ call: FunctionCallExprSyntax) {
        guard let callee = call.calledExpression.as(MemberAccessExprSyntax.self),
            callee.declName.baseName.text.hasPrefix("with"), callee.declName.baseName.text.contains("Lock"),
            let body = call.trailingClosure, body.statements.count > 1
        else { return }
        let statements = Array(body.statements)
        for index in 1..<statements.count where !statements[..<index].contains(where: { $0.item.is(DeclSyntax.self) }) {
            func section(_ part: ArraySlice<CodeBlockItemSyntax>) -> String {
                let shortened = body.with(\.statements, CodeBlockItemListSyntax(Array(part)))
                return item.trimmedDescription.replacing(body.trimmedDescription, with: "\(shortened.trimmed)")
            }
            change(
                .lock, item.item, to: section(statements[..<index]) + "\n" + section(statements[index...]), .statement)
        }
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !node.attributes.contains(where: { $0.trimmedDescription == "@inlinable" }) else { return .skipChildren }
        guard let body = node.body, body.statements.count > 1,
            let early = Self.early(node.signature.returnClause?.type)
        else { return .visitChildren }
        for statement in body.statements.dropFirst() where !statement.item.is(ReturnStmtSyntax.self) {
            let start = statement.positionAfterSkippingLeadingTrivia.utf8Offset
            changes.append(
                Change(kind: .return, edits: [Edit(range: start..<start, mutant: early, form: .insertion)]))
        }
        return .visitChildren
    }

    /// The early return value of a function, by its return type; nil if it is uncertain.
    private static func early(_ type: TypeSyntax?) -> String? {
        guard let type else { return "return" }
        if type.is(OptionalTypeSyntax.self) { return "return nil" }
        if type.is(ArrayTypeSyntax.self) { return "return []" }
        return ["Bool": "return false", "String": "return \"\"", "Int": "return 0", "Void": "return"][
            type.trimmedDescription]
    }

    override func visit(_ node: SwitchCaseListSyntax) -> SyntaxVisitorContinueKind {
        let cases = node.compactMap { $0.as(SwitchCaseSyntax.self) }.filter(\.bindsNothing)
        for (one, next) in zip(cases, cases.dropFirst()) {
            guard let first = one.statements.bytesOfAll, let second = next.statements.bytesOfAll,
                one.statements.trimmedDescription != next.statements.trimmedDescription
            else { continue }
            changes.append(
                Change(
                    kind: .branches,
                    edits: [
                        Edit(range: first, mutant: next.statements.trimmedDescription, form: .statement),
                        Edit(range: second, mutant: one.statements.trimmedDescription, form: .statement),
                    ]))
        }
        return .visitChildren
    }

    // MARK: Recording

    private func change(
        _ kind: Change.Kind, _ node: some SyntaxProtocol, to mutant: String, _ form: Edit.Form = .expression
    ) {
        changes.append(Change(kind: kind, edits: [Edit(range: node.bytes, mutant: mutant, form: form)]))
    }
}

extension SyntaxProtocol {
    /// The node's place in the text without the blanks and comments around it.
    fileprivate var bytes: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }

    /// Whether the code runs while an object is made.
    fileprivate var isInInitializer: Bool {
        var node = parent
        while let current = node {
            if current.is(InitializerDeclSyntax.self) { return true }
            if current.is(FunctionDeclSyntax.self) || current.is(ClosureExprSyntax.self) { return false }
            node = current.parent
        }
        return false
    }
}

extension CodeBlockItemListSyntax {
    /// The place of all statements; nil if the list is empty.
    fileprivate var bytesOfAll: Range<Int>? { isEmpty ? nil : bytes }
}

extension CodeBlockItemSyntax {
    /// Whether this is the only statement of a body and so may be the value of it.
    fileprivate var isValueOfItsBody: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let body = list.parent else {
            return false
        }
        if body.is(ClosureExprSyntax.self) || body.is(AccessorBlockSyntax.self) { return true }
        guard let function = body.parent?.as(FunctionDeclSyntax.self) else { return false }
        return function.signature.returnClause != nil
    }
}

extension SwitchCaseSyntax {
    /// Whether its code can stand in another case.
    fileprivate var bindsNothing: Bool {
        guard case .case(let label) = label else { return true }
        return !label.caseItems.contains { $0.pattern.tokens(viewMode: .sourceAccurate).contains { $0.text == "let" } }
    }
}
