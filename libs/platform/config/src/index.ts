export { ConfigError, type ConfigFault, type Environment } from './config-error';
export { hostNameOf, isLoopbackAddress, isLoopbackHost, isPrivateHost } from './host-names';
export {
  address,
  addressList,
  commaList,
  commonVariables,
  port,
  postgresUrl,
  redisUrl,
  secretText,
  tracesEndpointOf,
  wholeNumber,
} from './pieces';
export { readConfig, type ReadVariables, variablesReadBy } from './read-config';
export { parseRedisUrl } from './redis-url';
export { requireRpcProof, type RpcSettings, rpcSettingsOf, rpcVariables } from './rpc-settings';
export { fileVariableOf, secretVariable } from './secret-variables';
