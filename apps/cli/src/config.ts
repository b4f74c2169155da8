import { join } from 'node:path';
import { type RpcSettings, rpcSettingsOf } from '@market-state/config';

/** What the program takes from its environment. */
export interface CliConfig {
  /** Where a system that runs on this machine keeps its data, unless the command line says otherwise. */
  readonly dataDir: string;
  /** Key that the public API is asked with, unless the command line names one. */
  readonly apiKey?: string;
  /** `host:port` of the account service; undefined: that of the system with this data. */
  readonly accountAddress?: string;
  /** How the services are shown who asks; undefined: by the token of the system with this data. */
  readonly rpc?: RpcSettings;
}

/**
 * `DATA_DIR`, as `npm start` reads it; without it, `.data` in the workspace the program belongs to. And `MARKET_STATE_API_KEY`,
 * `ACCOUNT_ADDRESS`, and `TLS_CERT_FILE`, `TLS_KEY_FILE` with `TLS_CA_FILE`, or `RPC_TOKEN_FILE`.
 */
export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  return {
    dataDir: env['DATA_DIR'] || join(env['MARKET_STATE_ROOT'] || process.cwd(), '.data'),
    apiKey: env['MARKET_STATE_API_KEY'] || undefined,
    accountAddress: env['ACCOUNT_ADDRESS'] || undefined,
    rpc: rpcOf(env),
  };
}

function rpcOf(env: NodeJS.ProcessEnv): RpcSettings | undefined {
  const given = (name: string): string | undefined => env[name] || undefined;
  const variables = {
    TLS_CERT_FILE: given('TLS_CERT_FILE'),
    TLS_KEY_FILE: given('TLS_KEY_FILE'),
    TLS_CA_FILE: given('TLS_CA_FILE'),
    RPC_TOKEN_FILE: given('RPC_TOKEN_FILE'),
  };
  const settings = rpcSettingsOf(variables);
  return settings.kind === 'token' && settings.tokenFile === '' ? undefined : settings;
}
