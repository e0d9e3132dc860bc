extension Vocabulary {
    /// The commands of the lab's own actors, in the order in which the reference lists them.
    public static let lab = Vocabulary(
        activationCommands + activationKindCommands + legacyActivationCommands + biometryCommands
            + signatureCommands + vaultCommands + recoveryCommands + tokenCommands + serviceCommands
            + watchSupportCommands + messagingCommands
            + serverCommands + operationCommands + resourceCommands + trafficCommands + serverProcessCommands
            + processCommands
            + deviceCommands + diskCommands + securityCommands + linkCommands + linkFaultCommands + storageCommands
            + faultCommands + clockCommands + traceCommands)
}
