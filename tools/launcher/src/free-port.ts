import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the usual range of outgoing connections (from 32,768), so that none takes a port between choice and use. */
const lowestPort = 20_000;
const highestPort = 32_767;

const HELD_MS = 60_000;

/**
 * Draws a random free loopback TCP port, reserved on this machine for a minute or until this process exits.
 * @throws Error after 50 occupied draws
 */
export async function freePort(): Promise<number> {
  for (let draw = 0; draw < 50; draw += 1) {
    const port = randomInt(lowestPort, highestPort + 1);
    if ((await holdPort(port)) && (await portIsFree(port))) return port;
  }
  throw new Error(`No free port found between ${lowestPort} and ${highestPort}.`);
}

/**
 * Reserves a port with an abstract socket, which leaves no file; does nothing without such sockets. @returns false if
 * already reserved
 */
function holdPort(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise((resolve) => {
    const holder = createServer();
    holder.once('error', () => resolve(false));
    holder.listen({ path: `\0market-state-port-${port}` }, () => {
      holder.unref();
      setTimeout(() => holder.close(), HELD_MS).unref();
      resolve(true);
    });
  });
}

export function portIsFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
