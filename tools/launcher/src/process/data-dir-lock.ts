import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { delay } from '@market-state/lifecycle';
import { readProcessList } from './registry';

const tryEveryMs = 50;
/** A killed launcher holds its socket briefly after its children exit. */
const tries = 20;

class DataDirInUseError extends Error {}

const STICKY = 0o1000;

/**
 * Locks the data folder with an abstract socket named after its inode, which the kernel releases.
 * @returns a function that releases the lock
 * @throws DataDirInUseError if another launcher holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { dev, ino, mode } = statSync(folder);
  if ((mode & STICKY) !== 0) throw new Error(`${folder} is shared by all users. Set DATA_DIR to another folder.`);
  if ((mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  const name = createHash('sha256').update(`market-state ${dev} ${ino}`).digest('hex');
  for (let left = tries; left > 0; left -= 1) {
    const server = await listen(`\0${name}`);
    if (server !== undefined) return () => new Promise<void>((done) => server.close(() => done()));
    await delay(tryEveryMs);
  }
  throw inUse(folder);
}

function listen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done(undefined) : fail(error)));
    server.listen(path, () => done(server));
  });
}

function inUse(folder: string): DataDirInUseError {
  const holder = readProcessList(folder)?.launcher.pid;
  const by = holder === undefined ? 'another launcher' : `the launcher with pid ${holder}`;
  return new DataDirInUseError(`${folder} is in use by ${by}. Stop it, or set DATA_DIR to another folder.`);
}
