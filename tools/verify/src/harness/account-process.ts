import { ownInstallation } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { openFolder } from './folder';
import { type KillableProcess, startProcess } from './process';

/** For settings that are secrets of a service. */
export const SECRET = 'a secret of the suite, 32 bytes or more';

/**
 * The account service as it is shipped; its mail goes to a folder that is removed at the end.
 * @param rpc the variables by which it knows its callers; by default it is of this process's installation
 */
export function startAccountProcess(closer: Closer, databaseUrl: string, rpc?: NodeJS.ProcessEnv): Promise<KillableProcess> {
  return startProcess(closer, 'account', {
    DATABASE_URL: databaseUrl,
    ANSWER_SECRET: SECRET,
    PUBLIC_BASE_URL: 'http://127.0.0.1:1',
    OUTBOX_DIR: openFolder(closer),
    ...(rpc ?? { RPC_TOKEN_FILE: ownInstallation().writeTokenFile('account') }),
  });
}
