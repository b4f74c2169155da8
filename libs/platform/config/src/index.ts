export {
  ConfigError,
  type ConfigFault,
  type Environment,
  readConfig,
  type ReadVariables,
  variablesReadBy,
  fileVariableOf,
  secretVariable,
} from './read-config';
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
export { parseRedisUrl } from './redis-url';
export { requireRpcProof, type RpcSettings, rpcSettingsOf, rpcVariables } from './rpc-settings';
