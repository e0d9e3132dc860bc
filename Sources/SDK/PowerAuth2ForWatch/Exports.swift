// An application imports only the SDK's module (sdk.md, section 3, item 1).
@_exported public import PowerAuthShared
