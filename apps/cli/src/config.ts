import { join } from 'node:path';

/** What the program takes from its environment. */
export interface CliConfig {
  /** Where a system that runs on this machine keeps its data, unless the command line says otherwise. */
  readonly dataDir: string;
  /** `host:port` of the account service; undefined: that of the system with this data. */
  readonly accountAddress?: string;
}

/** `DATA_DIR`, as `npm start` reads it; without it, `.data` in the workspace the program belongs to. And `ACCOUNT_ADDRESS`. */
export function readConfig(env: NodeJS.ProcessEnv): CliConfig {
  return { dataDir: env['DATA_DIR'] || join(env['MARKET_STATE_ROOT'] || process.cwd(), '.data'), accountAddress: env['ACCOUNT_ADDRESS'] || undefined };
}
