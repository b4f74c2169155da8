import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runsAsRoot } from './native-folder';

/** The user and group that a program runs as; those of this process where absent. */
export interface ProgramUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** In the range that systemd leaves unused (60578 to 61183), so that no account and no service of a distribution has it. */
const SERVER_ID = 60_917;
/** The user nobody, which every Linux knows by name: initdb runs under no other. Up to release 0.1.0 the server ran as it too. */
const NAMED_ID = 65_534;

/** PostgreSQL refuses to run as root; its server then runs as a user that nothing else uses. */
export function serverUser(): ProgramUser {
  return runsAsRoot() ? { uid: SERVER_ID, gid: SERVER_ID } : {};
}

/** The user of initdb. Its group keeps out other processes of nobody: the kernel opens a process only to those with both of its ids. */
export function setupUser(): ProgramUser {
  return runsAsRoot() ? { uid: NAMED_ID, gid: SERVER_ID } : {};
}

/** Gives a file or folder to this user. @throws Error in a sentence where root may not do that */
export function giveTo(path: string, { uid, gid }: ProgramUser): void {
  if (uid === undefined || gid === undefined) return;
  try {
    lchownSync(path, uid, gid);
  } catch (error) {
    const why = 'PostgreSQL does not run as root, and root may not start it as another user here.';
    throw new Error(`${why} Start as an ordinary user, or set DATABASE_URL.`, { cause: error });
  }
}

/** Gives the server what initdb or an older release left in a cluster as nobody's; the cluster itself last, so that it is done whole. */
export function giveToServerUser(cluster: string): void {
  if (!runsAsRoot() || lstatSync(cluster).uid !== NAMED_ID) return;
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    const path = join(cluster, name);
    if (lstatSync(path).uid === NAMED_ID) giveTo(path, serverUser());
  }
  giveTo(cluster, serverUser());
}
