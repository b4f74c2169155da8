import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseServices, workspaceRoot } from '@market-state/launcher';
import { createTestServers } from './test-servers';
import type { TestDatabase, TestServers } from './test-servers';

/** Set by the `test` target: the run has the task `testing:stores`, which says where its servers are. */
const SHARED = 'MARKET_STATE_TEST_STORES';
const APPEARS_MS_MAX = 120_000;
const POLL_MS = 50;

/** Holds the address of the servers that a run shares, while they are offered. */
export function sharedServersFile(): string {
  return join(workspaceRoot(), 'dist', '.test-stores');
}

/**
 * Offers one pair of servers to every process of a test run, on a loopback address with a secret path.
 * @returns that address, and a function that stops the servers
 */
export async function offerTestServers(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const servers = createTestServers();
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    // A client that kept the connection could send on it just as it is closed.
    response.setHeader('connection', 'close');
    const [, given, kind, service] = (request.url ?? '').split('/');
    const known = databaseServices.find((name) => name === service);
    const answer =
      given === secret
        ? kind === 'redis'
          ? servers.redis()
          : servers.database(known).then((database) => JSON.stringify(database))
        : Promise.reject(new Error('unknown path'));
    answer.then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await servers.stop();
    },
  };
}

/** The servers that this run shares; servers of the caller's own, which end with this process, when it shares none. */
export function serversOfRun(): TestServers {
  if (process.env[SHARED] !== 'shared') return createTestServers();
  const ask = async (path: string): Promise<string> => {
    const response = await askShared(path);
    const body = await response.text();
    if (!response.ok) throw new Error(`The test servers answered: ${body}`);
    return body;
  };
  return {
    database: async (service) => JSON.parse(await ask(`database/${service ?? ''}`)) as TestDatabase,
    redis: () => ask('redis'),
    stop: async () => undefined,
  };
}

/** The task may still be starting, and a file of an earlier run that was killed leads nowhere. */
async function askShared(path: string): Promise<Response> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await fetch(`${readFileSync(sharedServersFile(), 'utf8')}/${path}`);
    } catch (cause) {
      if (performance.now() - startedAt > APPEARS_MS_MAX) throw new Error('The task testing:stores offers no servers.', { cause });
      await delay(POLL_MS);
    }
  }
}
