extension Vocabulary {
    /// The commands of the lab's own actors, in the order in which the reference lists them.
    public static let lab = Vocabulary(
        sdkObjectCommands + activationCommands + activationKindCommands + legacyActivationCommands + biometryCommands
            + signatureCommands + serialQueueCommands + vaultCommands + recoveryCommands + tokenCommands
            + serviceCommands
            + networkingCommands + userOperationCommands + offlineOperationCommands + inboxCommands
            + watchSupportCommands + messagingCommands + pushCommands
            + serverCommands + operationCommands + resourceCommands + trafficCommands + serverProcessCommands
            + processCommands + appNotificationCommands + deviceCommands + deviceProcessCommands + diskCommands
            + connectivityCommands
            + securityCommands + notificationCommands + linkCommands + linkFaultCommands + storageCommands
            + sharingInspectionCommands + sharedDataDamageCommands
            + faultCommands + clockCommands + traceCommands)
}
