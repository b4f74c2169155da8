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
