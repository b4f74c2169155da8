import { homedir } from 'node:os';
import { join } from 'node:path';
import { type RpcSettings, rpcSettingsOf } from '@market-state/config';
import type { CliIo } from './io/cli-io';

export function readConfig(env: NodeJS.ProcessEnv): Omit<CliIo, 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'signal'> {
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
