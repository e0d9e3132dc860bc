// An application imports only `PowerAuth2` and sees the shared types and the core through it (sdk.md, section 3).
@_exported public import PowerAuthShared
