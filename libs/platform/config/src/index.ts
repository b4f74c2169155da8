export { ConfigError, readConfig, type ConfigFault, type Environment } from './read-config';
export { address, commaList, commonVariables, port, postgresUrl, redisUrl, wholeNumber } from './pieces';
