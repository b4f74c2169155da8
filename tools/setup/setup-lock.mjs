import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 200;

/** The lock is released when its process exits. */
export async function withSetupLock(folder, say, work) {
  const address = lockAddress(folder);
  let server = await listen(address);
  if (server === undefined) say(`Another command is setting up ${folder}: waiting for it.`);
  while (server === undefined) {
    await delay(pollMs);
    server = await listen(address);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}

/**
 * An abstract socket on Linux, released by the kernel; elsewhere a socket file, which a killed process leaves behind.
 */
export function lockAddress(folder, platform = process.platform) {
  const { dev, ino } = statSync(folder);
  const name = createHash('sha256').update(`market-state set-up ${dev} ${ino}`).digest('hex');
  return platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name.slice(0, 24)}.sock`);
}

/** @returns undefined if another process listens, or if a stale socket file was just removed */
export async function listen(address) {
  const server = createServer((socket) => socket.destroy());
  const error = await new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(address, () => resolve(undefined));
  });
  if (error === undefined) return server;
  if (error.code !== 'EADDRINUSE') throw error;
  // Two processes may find the same stale file: both remove it, and neither listens before the next poll.
  if (!address.startsWith('\0') && !(await isAnswered(address))) rmSync(address, { force: true });
  return undefined;
}

function isAnswered(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('error', (error) => resolve(error.code !== 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
