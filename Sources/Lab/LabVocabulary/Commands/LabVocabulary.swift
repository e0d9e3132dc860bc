// SPDX-License-Identifier: Apache-2.0

extension Vocabulary {
    /// The commands of the lab's own actors, in the order in which the reference lists them.
    public static let lab = Vocabulary(
        sdkObjectCommands + activationCommands + biometryCommands + signatureCommands + serialQueueCommands
            + requestCommands + vaultCommands + version4Commands + recoveryCommands + tokenCommands + serviceCommands
            + userOperationCommands + inboxCommands + watchSupportCommands + messagingCommands + backgroundTaskCommands
            + pushCommands + serverCommands + operationCommands + resourceCommands + trafficCommands
            + serverProcessCommands
            + processCommands + appNotificationCommands + deviceCommands + deviceProcessCommands + diskCommands
            + connectivityCommands + securityCommands + backupCommands + notificationCommands + linkCommands
            + watchCommands + linkFaultCommands + complicationCommands + backgroundRefreshCommands
            + sharedMemoryCommands + storageCommands
            + sharingCommands + sharedDataDamageCommands + linkInspectionCommands + instanceCommands)
}
