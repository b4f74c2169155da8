import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 200;

/** Runs some work while no other command sets up the same workspace; the kernel frees the lock when this process ends. */
export async function withSetupLock(root, say, work) {
  const { dev, ino } = statSync(root);
  const name = createHash('sha256').update(`market-state set-up ${dev} ${ino}`).digest('hex');
  let server = await listen(name);
  if (server === undefined) say('Another command is setting up this folder: waiting for it.');
  while (server === undefined) {
    await delay(pollMs);
    server = await listen(name);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}

function listen(name) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(`\0${name}`, () => resolve(server));
  });
}
