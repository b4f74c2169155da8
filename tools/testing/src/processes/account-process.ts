import { ownInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { openFolder } from '../open-folder';
import { type KillableProcess, startProcess } from './start-process';

/** For settings that are secrets of a service. */
export const SECRET = 'a secret of the tests, 32 bytes or more';

export interface AccountSettings {
  /** The variables by which it knows its callers; by default those of this process's installation. */
  readonly rpc?: NodeJS.ProcessEnv;
  /** Variables in place of the defaults. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The account service in a process of its own, on a migrated database; its mail goes to a folder that is removed at the end. */
export function startAccountProcess(
  closer: Closer,
  databaseUrl: string,
  { rpc = { RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account') }, env = {} }: AccountSettings = {},
): Promise<KillableProcess> {
  return startProcess(closer, 'account', {
    DATABASE_URL: databaseUrl,
    ANSWER_SECRET: SECRET,
    PUBLIC_BASE_URL: 'http://127.0.0.1:1',
    OUTBOX_DIR: openFolder(closer),
    ...rpc,
    ...env,
  });
}
