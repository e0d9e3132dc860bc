// SPDX-License-Identifier: Apache-2.0

/// The resources of the back office and of the lab's powers, one a line: methods, path, fields of the
/// request, and after an arrow the members of the answer.
///
/// Written down from the server by `RECORD=1 swift test --filter ServerResourceTests`.
enum ServerResourceTable {
    static let text = """
        DELETE /lab/faults/{id} *
        DELETE /lab/snapshots/{name} *
        DELETE /lab/ui-templates/{placeholder}/{language} *
        DELETE,GET /lab/traffic *
        DELETE,GET /v2/operations/{id} *
        DELETE,GET,POST /lab/faults *
        DELETE,GET,POST /lab/pushes *
        GET /actuator/health *
        GET /actuator/info *
        GET /actuator/prometheus *
        GET /health *
        GET /lab/audit *
        GET /lab/identity/.well-known/openid-configuration *
        GET /lab/identity/jwks *
        GET /metrics *
        GET /openapi.json *
        GET /v2/operations/{id}/offline/qr *
        GET /v3/api-docs *
        GET,POST /lab/clock *
        GET,POST /lab/identity/authorize *
        GET,POST /lab/snapshots *
        GET,POST /lab/ui-templates *
        POST /lab/identity/token *
        POST /lab/inbox *
        POST /lab/payments *
        POST /lab/seed *
        POST /lab/snapshots/{name}/restore *
        POST /rest/v3/activation/block activationId:text externalUserId:text reason:text -> {activationId,activationStatus,blockedReason}
        POST /rest/v3/activation/commit activationId:text activationOtp:text externalUserId:text -> {activated,activationId}
        POST /rest/v3/activation/create activationOtp:text applicationKey:text encryptedData:text ephemeralPublicKey:text generateRecoveryCodes:boolean mac:text maxFailureCount:any nonce:text protocolVersion:text temporaryKeyId:text timestamp:any timestampActivationExpire:any userId:text -> {activationId,activationStatus,applicationId,encryptedData,mac,nonce,timestamp,userId}
        POST /rest/v3/activation/flags/create activationFlags:list activationId:text -> {activationFlags,activationId}
        POST /rest/v3/activation/flags/list activationId:text -> {activationFlags,activationId}
        POST /rest/v3/activation/flags/remove activationFlags:list activationId:text -> {activationFlags,activationId}
        POST /rest/v3/activation/flags/update activationFlags:list activationId:text -> {activationFlags,activationId}
        POST /rest/v3/activation/history activationId:text timestampFrom:any timestampTo:any -> {items:[{activationId,activationName,activationStatus,eventReason,externalUserId,id,timestampCreated,version}]}
        POST /rest/v3/activation/init activationOtp:text activationOtpValidation:NONE|ON_KEY_EXCHANGE|ON_COMMIT applicationId:text commitPhase:ON_COMMIT|ON_KEY_EXCHANGE flags:list maxFailureCount:any protocol:powerauth|fido2 timestampActivationExpire:any userId:text -> {activationCode,activationId,activationSignature,applicationId,userId}
        POST /rest/v3/activation/list activationStatuses:list applicationId:text pageNumber:any pageSize:any protocols:list userId:text -> {activations:[{activationFlags,activationId,activationName,activationStatus,applicationId,applicationName,blockedReason,deviceInfo,devicePublicKeyBase64,externalId,extras,failedAttempts,maxFailedAttempts,platform,protocol,timestampCreated,timestampLastChange,timestampLastUsed,userId,version}],userId}
        POST /rest/v3/activation/lookup activationFlags:list activationStatus:CREATED|PENDING_COMMIT|ACTIVE|BLOCKED|REMOVED applicationIds:list timestampLastUsedAfter:any timestampLastUsedBefore:any userIds:list -> {activations:[{activationFlags,activationId,activationName,activationStatus,applicationId,applicationName,blockedReason,deviceInfo,devicePublicKeyBase64,externalId,extras,failedAttempts,maxFailedAttempts,platform,protocol,timestampCreated,timestampLastChange,timestampLastUsed,userId,version}]}
        POST /rest/v3/activation/name/update activationId:text activationName:text externalUserId:text -> {activationId,activationName,activationStatus}
        POST /rest/v3/activation/otp/update activationId:text activationOtp:text externalUserId:text -> {activationId,updated}
        POST /rest/v3/activation/prepare activationCode:text applicationKey:text encryptedData:text ephemeralPublicKey:text generateRecoveryCodes:boolean mac:text nonce:text protocolVersion:text temporaryKeyId:text timestamp:any -> {activationId,activationStatus,applicationId,encryptedData,mac,nonce,timestamp,userId}
        POST /rest/v3/activation/recovery/create activationOtp:text applicationKey:text encryptedData:text ephemeralPublicKey:text generateRecoveryCodes:boolean mac:text maxFailureCount:any nonce:text protocolVersion:text puk:text recoveryCode:text temporaryKeyId:text timestamp:any -> {activationId,activationStatus,applicationId,encryptedData,mac,nonce,timestamp,userId}
        POST /rest/v3/activation/remove activationId:text externalUserId:text revokeRecoveryCodes:boolean -> {activationId,removed}
        POST /rest/v3/activation/status activationId:text challenge:text -> {activationCode,activationFlags,activationId,activationName,activationOtpValidation,activationSignature,activationStatus,applicationId,applicationRoles,blockedReason,commitPhase,deviceInfo,devicePublicKeyFingerprint,encryptedStatusBlob,encryptedStatusBlobNonce,externalId,extras,failedAttempts,maxFailedAttempts,platform,protocol,timestampCreated,timestampLastChange,timestampLastUsed,userId,version}
        POST /rest/v3/activation/status/update activationIds:list activationStatus:CREATED|PENDING_COMMIT|ACTIVE|BLOCKED|REMOVED -> {updated}
        POST /rest/v3/activation/unblock activationId:text externalUserId:text -> {activationId,activationStatus}
        POST /rest/v3/application/callback/create applicationId:text attributes:list authentication:map callbackUrl:text initialBackoff:text maxAttempts:any name:text retentionPeriod:text type:ACTIVATION_STATUS_CHANGE|OPERATION_STATUS_CHANGE -> {applicationId,attributes,authentication:{certificate:{enabled,keyAlias,keyPasswordSet,keyStoreLocation,keyStorePasswordSet,trustStoreLocation,trustStorePasswordSet,useCustomKeyStore,useCustomTrustStore},httpBasic:{enabled,passwordSet,username},oauth2:{clientId,clientSecretSet,enabled,scope,tokenUri}},callbackUrl,id,initialBackoff,maxAttempts,name,retentionPeriod,type}
        POST /rest/v3/application/callback/deliveries id:text -> {attempts:[{attempt,failure,httpStatus,idempotencyKey,payload,status,timestampCalled}]}
        POST /rest/v3/application/callback/list applicationId:text -> {callbackUrlList:[{applicationId,attributes,authentication:{certificate:{enabled,keyAlias,keyPasswordSet,keyStoreLocation,keyStorePasswordSet,trustStoreLocation,trustStorePasswordSet,useCustomKeyStore,useCustomTrustStore},httpBasic:{enabled,passwordSet,username},oauth2:{clientId,clientSecretSet,enabled,scope,tokenUri}},callbackUrl,id,initialBackoff,maxAttempts,name,retentionPeriod,type}]}
        POST /rest/v3/application/callback/remove id:text -> {id,removed}
        POST /rest/v3/application/callback/update applicationId:text attributes:list authentication:map callbackUrl:text id:text initialBackoff:text maxAttempts:any name:text retentionPeriod:text type:ACTIVATION_STATUS_CHANGE|OPERATION_STATUS_CHANGE -> {applicationId,attributes,authentication:{certificate:{enabled,keyAlias,keyPasswordSet,keyStoreLocation,keyStorePasswordSet,trustStoreLocation,trustStorePasswordSet,useCustomKeyStore,useCustomTrustStore},httpBasic:{enabled,passwordSet,username},oauth2:{clientId,clientSecretSet,enabled,scope,tokenUri}},callbackUrl,id,initialBackoff,maxAttempts,name,retentionPeriod,type}
        POST /rest/v3/application/config/create applicationId:text key:text values:list -> {applicationId,key,values}
        POST /rest/v3/application/config/detail applicationId:text -> {applicationConfigs:[{key,values}],applicationId}
        POST /rest/v3/application/config/remove applicationId:text key:text
        POST /rest/v3/application/create applicationId:text -> {applicationId,applicationRoles}
        POST /rest/v3/application/detail applicationId:text -> {applicationId,applicationRoles,masterPublicKey,versions:[{applicationKey,applicationSecret,applicationVersionId,mobileSdkConfig,supported}]}
        POST /rest/v3/application/detail/version applicationKey:text -> {applicationId}
        POST /rest/v3/application/list -> {applications:[{applicationId,applicationRoles}]}
        POST /rest/v3/application/roles/create applicationId:text applicationRoles:list -> {applicationId,applicationRoles}
        POST /rest/v3/application/roles/list applicationId:text -> {applicationId,applicationRoles}
        POST /rest/v3/application/roles/remove applicationId:text applicationRoles:list -> {applicationId,applicationRoles}
        POST /rest/v3/application/roles/update applicationId:text applicationRoles:list -> {applicationId,applicationRoles}
        POST /rest/v3/application/version/create applicationId:text applicationVersionId:text -> {applicationKey,applicationSecret,applicationVersionId,applicationVersionName,mobileSdkConfig,supported}
        POST /rest/v3/application/version/support applicationId:text applicationVersionId:text -> {applicationVersionId,supported}
        POST /rest/v3/application/version/unsupport applicationId:text applicationVersionId:text -> {applicationVersionId,supported}
        POST /rest/v3/ecies/decryptor activationId:text applicationKey:text ephemeralPublicKey:text nonce:text protocolVersion:text temporaryKeyId:text timestamp:any -> {secretKey,sharedInfo2}
        POST /rest/v3/error/list -> {errors:[{code,value}]}
        POST /rest/v3/integration/create name:text -> {clientSecret,clientToken,id,name}
        POST /rest/v3/integration/list -> {items:[{clientSecret,clientToken,id,name}],restrictedAccess}
        POST /rest/v3/integration/remove id:text -> {id,removed}
        POST /rest/v3/keystore/create jwt:text -> {jwt}
        POST /rest/v3/keystore/remove id:text -> {id,removed}
        POST /rest/v3/operation/approve additionalData:map applicationId:text data:text operationId:text signatureType:POSSESSION|KNOWLEDGE|BIOMETRY|POSSESSION_KNOWLEDGE|POSSESSION_BIOMETRY|POSSESSION_KNOWLEDGE_BIOMETRY userId:text -> {operation:{activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId},result}
        POST /rest/v3/operation/approve/fail additionalData:map operationId:text -> {operation:{activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId},result}
        POST /rest/v3/operation/cancel additionalData:map operationId:text statusReason:text -> {activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}
        POST /rest/v3/operation/claim operationId:text userId:text -> {activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}
        POST /rest/v3/operation/create activationFlag:text activationId:text additionalData:map applications:list externalId:text parameters:map proximityCheckEnabled:boolean templateName:text timestampExpires:any userId:text -> {activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}
        POST /rest/v3/operation/detail operationId:text userId:text -> {activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}
        POST /rest/v3/operation/list activationId:text applications:list pageNumber:any pageSize:any userId:text -> [{activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}]
        POST /rest/v3/operation/list/external applications:list externalId:text pageNumber:any pageSize:any -> [{activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}]
        POST /rest/v3/operation/list/pending activationId:text applications:list pageNumber:any pageSize:any userId:text -> [{activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId}]
        POST /rest/v3/operation/reject additionalData:map applicationId:text operationId:text userId:text -> {operation:{activationFlag,activationId,additionalData,applications,data,externalId,failureCount,id,maxFailureCount,operationType,parameters,proximityOtp,riskFlags,signatureType,status,statusReason,templateName,timestampCreated,timestampExpires,timestampFinalized,userId},result}
        POST /rest/v3/operation/template/create dataTemplate:text expiration:any maxFailureCount:any operationType:text proximityCheckEnabled:boolean riskFlags:text signatureType:list templateName:text -> {dataTemplate,expiration,id,maxFailureCount,operationType,proximityCheckEnabled,riskFlags,signatureType,templateName}
        POST /rest/v3/operation/template/detail id:any -> {dataTemplate,expiration,id,maxFailureCount,operationType,proximityCheckEnabled,riskFlags,signatureType,templateName}
        POST /rest/v3/operation/template/list -> [{dataTemplate,expiration,id,maxFailureCount,operationType,proximityCheckEnabled,riskFlags,signatureType,templateName}]
        POST /rest/v3/operation/template/remove id:any
        POST /rest/v3/operation/template/update dataTemplate:text expiration:any id:any maxFailureCount:any operationType:text proximityCheckEnabled:boolean riskFlags:text signatureType:list -> {dataTemplate,expiration,id,maxFailureCount,operationType,proximityCheckEnabled,riskFlags,signatureType,templateName}
        POST /rest/v3/recovery/config/detail applicationId:text -> {activationRecoveryEnabled,allowMultipleRecoveryCodes,applicationId,postcardPublicKey,recoveryPostcardEnabled,remotePostcardPublicKey}
        POST /rest/v3/recovery/config/update activationRecoveryEnabled:boolean allowMultipleRecoveryCodes:boolean applicationId:text recoveryPostcardEnabled:boolean remotePostcardPublicKey:text -> {updated}
        POST /rest/v3/recovery/confirm activationId:text applicationKey:text encryptedData:text ephemeralPublicKey:text mac:text nonce:text protocolVersion:text temporaryKeyId:text timestamp:any -> {activationId,encryptedData,mac,nonce,timestamp,userId}
        POST /rest/v3/recovery/create applicationId:text pukCount:any userId:text -> {nonce,puks:[{pukDerivationIndex,pukIndex,status}],recoveryCodeId,recoveryCodeMasked,status,userId}
        POST /rest/v3/recovery/lookup activationId:text applicationId:text recoveryCodeStatus:CREATED|ACTIVE|BLOCKED|REVOKED recoveryPukStatus:VALID|USED|INVALID userId:text -> {recoveryCodes:[{activationId,applicationId,puks:[{pukDerivationIndex,pukIndex,status}],recoveryCodeId,recoveryCodeMasked,status,userId}]}
        POST /rest/v3/recovery/revoke recoveryCodeIds:list -> {revoked}
        POST /rest/v3/signature/ecdsa/sign activationId:text data:text -> {signature}
        POST /rest/v3/signature/ecdsa/verify activationId:text data:text signature:text signatureFormat:DER|JOSE -> {signatureValid}
        POST /rest/v3/signature/list applicationId:text timestampFrom:any timestampTo:any userId:text -> {items:[{activationCounter,activationCtrData,activationId,activationStatus,additionalInfo:[{key,value}],applicationId,dataBase64,id,note,signature,signatureType,signatureVersion,timestampCreated,userId,valid,version}]}
        POST /rest/v3/signature/offline/non-personalized/create applicationId:text data:text -> {nonce,offlineData}
        POST /rest/v3/signature/offline/personalized/create activationId:text data:text nonce:text proximityCheck:map -> {nonce,offlineData}
        POST /rest/v3/signature/offline/verify activationId:text allowBiometry:boolean componentLength:any data:text proximityCheck:map signature:text -> {activationFlags,activationId,activationStatus,applicationId,applicationRoles,blockedReason,remainingAttempts,signatureType,signatureValid,userId}
        POST /rest/v3/signature/verify activationId:text applicationKey:text data:text forcedSignatureVersion:any signature:text signatureType:POSSESSION|KNOWLEDGE|BIOMETRY|POSSESSION_KNOWLEDGE|POSSESSION_BIOMETRY|POSSESSION_KNOWLEDGE_BIOMETRY signatureVersion:text -> {activationFlags,activationId,activationStatus,applicationId,applicationRoles,blockedReason,remainingAttempts,signatureType,signatureValid,userId}
        POST /rest/v3/status -> {applicationDisplayName,applicationEnvironment,applicationName,buildTime,status,timestamp,version}
        POST /rest/v3/telemetry/report name:text parameters:map -> {name,reportData:{application,days,users}}
        POST /rest/v3/token/create activationId:text applicationKey:text encryptedData:text ephemeralPublicKey:text mac:text nonce:text protocolVersion:text signatureType:POSSESSION|KNOWLEDGE|BIOMETRY|POSSESSION_KNOWLEDGE|POSSESSION_BIOMETRY|POSSESSION_KNOWLEDGE_BIOMETRY temporaryKeyId:text timestamp:any -> {encryptedData,mac,nonce,timestamp}
        POST /rest/v3/token/remove activationId:text tokenId:text -> {removed}
        POST /rest/v3/token/validate nonce:text protocolVersion:text timestamp:any tokenDigest:text tokenId:text -> {activationFlags,activationId,activationStatus,applicationId,applicationRoles,blockedReason,signatureType,tokenValid,userId}
        POST /rest/v3/upgrade/commit activationId:text applicationKey:text -> {committed}
        POST /rest/v3/upgrade/start activationId:text applicationKey:text encryptedData:text ephemeralPublicKey:text mac:text nonce:text protocolVersion:text temporaryKeyId:text timestamp:any -> {encryptedData,mac,nonce,timestamp}
        POST /rest/v3/vault/unlock activationId:text applicationKey:text encryptedData:text ephemeralPublicKey:text mac:text nonce:text protocolVersion:text signature:text signatureType:POSSESSION|KNOWLEDGE|BIOMETRY|POSSESSION_KNOWLEDGE|POSSESSION_BIOMETRY|POSSESSION_KNOWLEDGE_BIOMETRY signatureVersion:text signedData:text temporaryKeyId:text timestamp:any -> {encryptedData,mac,nonce,signatureValid,timestamp}
        POST /v2/inbox/messages *
        POST /v2/operations *
        POST /v2/operations/{id}/offline/otp *
        POST /v2/registrations *
        POST /v2/registrations/{id}/commit *
        """
}
