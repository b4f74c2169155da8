export { ConfigError, readConfig, type ConfigFault, type Environment } from './read-config';
export { address, commaList, commonVariables, port, postgresUrl, redisUrl, wholeNumber } from './pieces';
export { isLoopbackAddress } from './loopback';
export { parseRedisUrl } from './redis-url';
export { requireRpcProof, rpcSettingsOf, type RpcSettings, rpcVariables } from './rpc-settings';
