import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { databaseServices } from '@market-state/launcher';
import { createTestServers } from './test-servers';
import type { TestDatabase, TestServers } from './test-servers';

/** Names the address at which a test run's processes ask for databases. */
const addressVariable = 'MARKET_STATE_TEST_SERVERS';

/**
 * Offers one pair of servers to every process of a test run, on a loopback address with a secret path, named in this
 * process's environment for the processes that it starts.
 * @returns a function that takes the offer back and stops the servers
 */
export async function offerTestServers(): Promise<() => Promise<void>> {
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
  process.env[addressVariable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`;
  return async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await servers.stop();
  };
}

/** The servers that this test run offers; servers of this process alone when it offers none. */
export function serversOfRun(): TestServers {
  const address = process.env[addressVariable];
  if (address === undefined) return createTestServers();
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`${address}/${path}`);
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
