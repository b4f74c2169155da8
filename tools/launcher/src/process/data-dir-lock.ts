import { createHash } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { readProcessList } from './registry';

/** Says that another launcher uses the data folder. */
export class DataDirInUseError extends Error {}

/**
 * Makes the data folder where needed and takes its lock, which the kernel frees when this process ends, however it ends:
 * a listening socket in the abstract namespace, named after the folder itself (not its path).
 * @returns a function that frees the lock
 * @throws DataDirInUseError when another launcher holds it
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true });
  const { dev, ino } = statSync(folder);
  const name = createHash('sha256').update(`market-state ${dev} ${ino}`).digest('hex');
  const server = createServer((socket) => socket.destroy());
  server.unref();
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(error.code === 'EADDRINUSE' ? inUse(folder) : error));
    server.listen(`\0${name}`, done);
  });
  return () => new Promise<void>((done) => server.close(() => done()));
}

function inUse(folder: string): DataDirInUseError {
  const holder = readProcessList(folder)?.launcher.pid;
  const by = holder === undefined ? 'another launcher' : `the launcher with pid ${holder}`;
  return new DataDirInUseError(`${folder} is in use by ${by}. Stop that one, or set DATA_DIR to another folder.`);
}
