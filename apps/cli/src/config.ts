import { homedir } from 'node:os';
import { join } from 'node:path';
import { type RpcSettings, rpcSettingsOf } from '@market-state/config';

export interface CliConfig {
  /** Data folder of the local system unless the command line names another. */
  readonly dataDir: string;
  /** Folder of programs that commands load on demand. */
  readonly programFolder: string;
  readonly url?: string;
  readonly apiKey?: string;
  readonly profileFile: string;
  /** `NO_COLOR`, or a terminal without colour. */
  readonly isPlain: boolean;
  /** `host:port`. Undefined: the account service of the system with this data. */
  readonly accountAddress?: string;
  /** Undefined: in the data folder. */
  readonly archiveUrl?: string;
  /** The `S3_` variables, named as in the services. */
  readonly storeVariables?: Readonly<Record<string, string | undefined>>;
  /** The venues' `…_REST_URL` variables, named as in the services. */
  readonly venueVariables?: Readonly<Record<string, string | undefined>>;
  /** Credentials for the services. Undefined: the token of the system with this data. */
  readonly rpc?: RpcSettings;
}

export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  return {
    dataDir: env['DATA_DIR'] || join(env['MARKET_STATE_ROOT'] || process.cwd(), '.data'),
    programFolder: join(env['MARKET_STATE_ROOT'] || process.cwd(), 'dist'),
    url: env['MARKET_STATE_URL'] || undefined,
    apiKey: env['MARKET_STATE_API_KEY'] || undefined,
    profileFile: join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'market-state', 'profile.json'),
    isPlain: (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb',
    accountAddress: env['ACCOUNT_ADDRESS'] || undefined,
    archiveUrl: env['ARCHIVE_URL'] || undefined,
    storeVariables: Object.fromEntries(Object.entries(env).filter(([name, text]) => name.startsWith('S3_') && text !== '')),
    venueVariables: Object.fromEntries(Object.entries(env).filter(([name, text]) => name.endsWith('_REST_URL') && text !== '')),
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
