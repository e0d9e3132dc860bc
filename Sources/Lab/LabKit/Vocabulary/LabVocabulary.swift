extension Vocabulary {
    /// The commands of the lab's own actors, in the order in which the reference lists them.
    public static let lab = Vocabulary(
        sdkObjectCommands + activationCommands + activationKindCommands + legacyActivationCommands + biometryCommands
            + signatureCommands + serialQueueCommands + vaultCommands + recoveryCommands + tokenCommands
            + serviceCommands
            + networkingCommands + userOperationCommands + offlineOperationCommands + inboxCommands
            + watchSupportCommands + messagingCommands + watchTransferCommands + pushCommands
            + serverCommands + operationCommands + resourceCommands + trafficCommands + serverProcessCommands
            + processCommands + appNotificationCommands + deviceCommands + deviceProcessCommands + diskCommands
            + connectivityCommands
            + securityCommands + notificationCommands + linkCommands + linkFaultCommands + complicationCommands
            + storageCommands
            + sharingInspectionCommands + sharedDataDamageCommands + linkInspectionCommands
            + faultCommands + clockCommands + traceCommands)
}
