import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SERVER_LIMITS } from './matched-server';

/**
 * Takes connections from now on. While the event loop is busy the kernel holds as many new ones as may be open at once, or
 * `net.core.somaxconn` where that is less: one that finds no room there is let in once its peer has sent its packets often enough, half a
 * minute later at times.
 */
export async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  server.listen({ port, host, backlog: SERVER_LIMITS.connectionsMax });
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/** Stops accepting calls and resolves when the last one has ended; connections still open after `forceAfterMs` are cut off. */
export function closeServer(server: Server, forceAfterMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(() => server.closeAllConnections(), Math.max(0, forceAfterMs));
    server.close((error) => {
      clearTimeout(force);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
