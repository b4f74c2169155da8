import { homedir } from 'node:os';
import { join } from 'node:path';
import { type RpcSettings, rpcSettingsOf } from '@market-state/config';

/** What the program takes from its environment. */
export interface CliConfig {
  /** Where a system that runs on this machine keeps its data, unless the command line says otherwise. */
  readonly dataDir: string;
  /** Where the workspace has the programs that a command reads when it needs them. */
  readonly programFolder: string;
  /** The service that is asked, unless the command line names one. */
  readonly url?: string;
  /** Key that it is asked with. */
  readonly apiKey?: string;
  /** Where `login` keeps a service and its key. */
  readonly profileFile: string;
  /** `host:port` of the account service; undefined: that of the system with this data. */
  readonly accountAddress?: string;
  /** Where the archive is; undefined: in the data folder. */
  readonly archiveUrl?: string;
  /** How a bucket is reached, by the names that services know: all that begin with `S3_`. */
  readonly storeVariables?: Readonly<Record<string, string | undefined>>;
  /** How the services are shown who asks; undefined: by the token of the system with this data. */
  readonly rpc?: RpcSettings;
}

/**
 * `DATA_DIR`, as `npm start` reads it; without it, `.data` in the workspace the program belongs to. And `MARKET_STATE_URL`,
 * `MARKET_STATE_API_KEY`, `XDG_CONFIG_HOME` (`~/.config` without it), `ACCOUNT_ADDRESS`, `ARCHIVE_URL` with the variables of a bucket, and
 * `TLS_CERT_FILE`, `TLS_KEY_FILE` with `TLS_CA_FILE`, or `RPC_TOKEN_FILE`.
 */
export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  return {
    dataDir: env['DATA_DIR'] || join(env['MARKET_STATE_ROOT'] || process.cwd(), '.data'),
    programFolder: join(env['MARKET_STATE_ROOT'] || process.cwd(), 'dist'),
    url: env['MARKET_STATE_URL'] || undefined,
    apiKey: env['MARKET_STATE_API_KEY'] || undefined,
    profileFile: join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'market-state', 'profile.json'),
    accountAddress: env['ACCOUNT_ADDRESS'] || undefined,
    archiveUrl: env['ARCHIVE_URL'] || undefined,
    storeVariables: Object.fromEntries(Object.entries(env).filter(([name, text]) => name.startsWith('S3_') && text !== '')),
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
