// An application that imports only `WultraMobileTokenSDK` sees what its functions take and give, as the manual's samples
// do.
@_exported public import PowerAuth2
@_exported public import WultraPowerAuthNetworking
