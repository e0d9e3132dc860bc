// SPDX-License-Identifier: Apache-2.0

extension Vocabulary {
    /// The commands of the lab's own actors, in the order in which the reference lists them.
    public static let lab = Vocabulary(
        sdkObjectCommands + activationCommands + biometryCommands + signatureCommands + serialQueueCommands
            + requestCommands + vaultCommands + recoveryCommands + tokenCommands + serviceCommands
            + userOperationCommands + inboxCommands + watchSupportCommands + messagingCommands + pushCommands
            + serverCommands + operationCommands + resourceCommands + trafficCommands + serverProcessCommands
            + processCommands + appNotificationCommands + deviceCommands + deviceProcessCommands + diskCommands
            + connectivityCommands + securityCommands + notificationCommands + linkCommands + watchCommands
            + linkFaultCommands + complicationCommands + sharedMemoryCommands + storageCommands + sharingCommands
            + sharedDataDamageCommands + linkInspectionCommands + instanceCommands)
}
