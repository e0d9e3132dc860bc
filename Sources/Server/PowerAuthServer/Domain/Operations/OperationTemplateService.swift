/// Operation templates (server.md, section 17).
///
/// Thread rule: worker threads only; all methods block.
struct OperationTemplateService: Sendable {
    let context: ServiceContext

    func list() throws -> [OperationTemplate] {
        try context.read(OperationTemplateStore.all)
    }

    /// - Throws: `invalidRequest` without identifier, `operationTemplateNotFound` for an unknown one.
    func detail(id: Int64?) throws -> OperationTemplate {
        guard let id else { throw ServiceError.invalid("id is missing") }
        guard let template = try context.read({ try OperationTemplateStore.find($0, id: id) }) else {
            throw ServiceError(.operationTemplateNotFound, "no template \(id)")
        }
        return template
    }

    /// - Throws: `invalidRequest` for what is not valid, `operationTemplateAlreadyExists` for a name that is taken.
    func create(_ template: OperationTemplate) throws -> OperationTemplate {
        try template.validate()
        return try context.change { change in
            guard try OperationTemplateStore.find(change.database, name: template.name) == nil else {
                throw ServiceError(.operationTemplateAlreadyExists, "template \(template.name) exists")
            }
            var created = template
            created.id = try OperationTemplateStore.insert(change.database, template)
            return created
        }
    }

    /// Changes everything but the name.
    /// - Parameter body: receives the stored template.
    /// - Throws: `invalidRequest`, `operationTemplateNotFound`.
    func update(id: Int64?, _ body: @escaping (inout OperationTemplate) throws -> Void) throws -> OperationTemplate {
        guard let id else { throw ServiceError.invalid("id is missing") }
        return try context.change { change in
            guard var template = try OperationTemplateStore.find(change.database, id: id) else {
                throw ServiceError(.operationTemplateNotFound, "no template \(id)")
            }
            try body(&template)
            try template.validate()
            try OperationTemplateStore.update(change.database, template)
            return template
        }
    }

    /// Removes a template; operations made of it stay.
    /// - Throws: `invalidRequest`, `operationTemplateNotFound`.
    func remove(id: Int64?) throws {
        _ = try detail(id: id)
        try context.change { try OperationTemplateStore.delete($0.database, id: id ?? 0) }
    }
}
