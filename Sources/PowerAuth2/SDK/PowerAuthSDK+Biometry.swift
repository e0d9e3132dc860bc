/// The biometry factor, as far as no dialog is needed (sdk.md, section 5.10).
extension PowerAuthSDK {
    /// True when the activation has a biometry factor and its key is stored on this device.
    public func hasBiometryFactor() -> Bool {
        factorKeys.hasBiometryKey && session.readBoolTask { $0.hasBiometryFactor() }
    }

    /// Removes the biometry factor and its key.
    ///
    /// - Returns: false without an activation, or when the state cannot be stored.
    @discardableResult
    public func removeBiometryFactor() -> Bool {
        guard session.writeBoolTask(session: { $0.removeBiometryFactor() }) else { return false }
        factorKeys.removeBiometryKey()
        return true
    }
}
