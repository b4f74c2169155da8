import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MarketState, type OperationId, ProblemError } from '@market-state/client';
import { examples, type Given } from '@market-state/client/examples';
import { keyOfNewTenant, waitUntil, findPython, runPython } from '@market-state/testing';
import { ACCOUNT, cookieOf, createAccountApi } from '../../system/api';
import type { DefaultSystem } from '../../system/default-system';
import { mailedCode, resetMailTo } from '../../system/stored';

const MODULES = ['httpx', 'pandas', 'pytest', 'cryptography'];
/** An hour of two recorded markets, and the simulated one since the start. `npm run verify -- python` checks 1,000. */
const PACKETS_MIN = '750';
/** Longer than the window in which refused logins of an address are counted. */
const CLAIM_MS_MAX = 660_000;

/**
 * Tests the Python client against the system. Skipped, with the missing modules named, if this machine has no suitable
 * Python.
 */
export function describePythonClient(started: () => DefaultSystem): void {
  const python = findPython(MODULES);
  const why = python === null ? `: skipped, no Python with ${MODULES.join(', ')} (Debian: python3-…)` : '';
  const whereThereIsPython = python === null ? it.skip : it;
  whereThereIsPython(`passes its tests of a running service${why}`, async () => {
    const { system, key } = started();
    const env = { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key, PACKETS_MIN };
    const { code, output } = await runPython(python ?? '', ['-m', 'pytest', 'tests/test_live.py'], env);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\d+ passed in /m) as string });
  });
}

const symbol = 'BTCUSD-PERP';
/** An example is rerun after these statuses: a busy service cannot have its request repeated automatically. */
const PASSING = [429, 503, 504];
const TRIES = 4;
/** Concurrent examples. */
const AT_ONCE = 6;

/** Tests each operation's SDK example. */
export function describeClientExamples(started: () => DefaultSystem): void {
  let receiver: Server;
  let given: Given;
  let ms: MarketState;
  let emails = 0;
  const folder = mkdtempSync(join(tmpdir(), 'market-state-client-'));

  beforeAll(async () => {
    const { system, key } = started();
    ms = new MarketState({ baseUrl: system.url, apiKey: key });
    const [row] = (await ms.history.rows({ symbol, limit: 20 }).take(20)).slice(-1);
    const endMs = Date.now() - 120_000;
    given = {
      symbol,
      eventId: row?.event_id ?? '',
      from: new Date(endMs - 180_000).toISOString(),
      to: new Date(endMs).toISOString(),
      receiverUrl: await startReceiver(system.dataDir),
      folder,
      newEmail: () => `sdk${(emails += 1)}@example.com`,
      mailedCode: (email) => waitUntil(`a code mailed to ${email}`, async () => mailedCode(system, email)),
      resetToken: async (email) => (await waitUntil(`a mail to ${email}`, async () => resetMailTo(system, email))).token,
    };
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    receiver?.closeAllConnections();
    receiver?.close();
  });

  /** URL of a receiver that accepts every message. */
  async function startReceiver(dataDir: string): Promise<string> {
    const file = (name: string): string => readFileSync(join(dataDir, 'demo-tls', name), 'utf8');
    receiver = createServer({ cert: file('localhost.crt'), key: file('localhost.key') }, (request, response) => {
      request.resume().on('end', () => response.writeHead(204).end());
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    return `https://localhost:${(receiver.address() as AddressInfo).port}/`;
  }

  it('each runs', async () => {
    const failures: string[] = [];
    const left = Object.entries(examples);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const [id, example] = next as [OperationId, (typeof examples)[OperationId]];
          await tried(() => example(ms, given)).catch((error: Error) => failures.push(`${id}: ${error.message}`));
        }
      }),
    );
    expect(failures).toEqual([]);
  });

  it('a session reads, quotes, streams and exports the data plane, and is charged like a key', async () => {
    const { system } = started();
    const credentials = { email: 'sdk-session@example.com', password: 'five green lamps over water' };
    const api_key = await keyOfNewTenant(system);
    const claim = () => createAccountApi(system).call('POST', `${ACCOUNT}/auth/claim`, { ...credentials, api_key });
    // Refused logins of other cases came from this address too.
    const claimed = await waitUntil('the claim', async () => claim().then((answer) => answer.status !== 429 && answer), CLAIM_MS_MAX);
    const session = cookieOf(claimed);
    // Sends the cookie and the page's origin, as a browser does.
    const asBrowser = (url: string, init: RequestInit): Promise<Response> =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...session, origin: system.url } });
    const page = new MarketState({ baseUrl: system.url, session: true, fetch: asBrowser as typeof fetch });
    expect((await page.book.latest({ symbol })).call.charged).toBe(1);
    const quote = await page.quote('listLatestTrades', { symbol, limit: 300 });
    expect([quote.maxCredits, (await quote.run()).call.charged]).toEqual([2, 2]);
    for await (const message of page.stream.data({ symbols: symbol })) if (message.type === 'row') break;
    const job = await page.exports.create({ dataset: 'trades', symbols: [symbol], from: given.from, to: given.to, format: 'csv' });
    const written = await page.exports.download(job, join(folder, 'session'));
    expect(written.map(({ path, file }) => readFileSync(path).length === file.bytes)).toEqual(written.map(() => true));
    expect(written.length).toBeGreaterThan(0);
  });
}

async function tried(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (tries === TRIES || !(error instanceof ProblemError) || !PASSING.includes(error.status)) throw error;
    }
  }
}
