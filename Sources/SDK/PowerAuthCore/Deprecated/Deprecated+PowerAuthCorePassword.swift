extension PowerAuthCorePassword {
    /// Shows the password to a closure, as up to 1.6 (extensions-and-legacy-names.md, section 5.5).
    ///
    /// - Parameter validationBlock: gets the UTF-8 bytes, followed by a zero, and their number without it.
    /// - Returns: the closure's answer.
    @available(*, deprecated, renamed: "validateComplexity(_:)")
    public func validatePasswordComplexity(_ validationBlock: (UnsafePointer<UInt8>, UInt) -> Bool) -> Bool {
        validateComplexity { bytes, length in
            bytes.withMemoryRebound(to: UInt8.self, capacity: length + 1) {
                validationBlock($0, UInt(length)) ? 1 : 0
            }
        } == 1
    }
}
