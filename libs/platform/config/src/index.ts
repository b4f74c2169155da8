export { ConfigError, type ConfigFault, type Environment } from './config-error';
export { tracesEndpointOf } from './traces-endpoint';
export { readConfig, type ReadVariables, variablesReadBy } from './read-config';
export { fileVariableOf, secretVariable } from './secret-variables';
export { address, addressList, commaList, commonVariables, port, postgresUrl, redisUrl, secretText, wholeNumber } from './pieces';
export { hostNameOf, isLoopbackHost, isPrivateHost } from './host-names';
export { isLoopbackAddress } from './loopback';
export { parseRedisUrl } from './redis-url';
export { requireRpcProof, rpcSettingsOf, type RpcSettings, rpcVariables } from './rpc-settings';
