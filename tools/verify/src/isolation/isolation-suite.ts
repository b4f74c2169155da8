import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createConcurrencyLimit, type Closer } from '@market-state/lifecycle';
import {
  ALL_SCOPES,
  countsOf,
  cpuMsBelow,
  openCaller,
  openFolder,
  openTenants,
  percentile,
  shuffle,
  startSystem,
  statusesOf,
  atOnce,
  callOnce,
  type Tenant,
} from '@market-state/testing';
import { firstOf, type Suite } from '../harness';
import { openReceivers } from '../webhooks/receivers';
import { readOperations, oddRequests, sendOdd, FROM, type OddRequest } from './document';
import { type Answered, openPayingTenant, type PayingTenant } from './paying-tenant';
import { openStream } from '../attacks/event-stream';

const MARKET_STATE = '/api/public/market-state';
const JOBS = '/api/public/data/export/jobs';
const STREAMS = ['/api/public/data/stream?channels=trades', `${MARKET_STATE}/stream`];
const ORDERS_AT_ONCE = 30;
const READS_AT_ONCE = 60;
const LOGINS_AT_ONCE = 40;
const STREAMS_AT_ONCE = 20;
const PAUSE_MS = 500;

type Deeds = Readonly<Record<string, Record<number, number>>>;

interface HostileTenant {
  stop(): Promise<Deeds>;
}

/** Starts every attack together: odd texts, rejected orders, floods, unread streams, hanging endpoints, logins. */
async function startHostileTenant(
  closer: Closer,
  { url, tenant, odd, random }: { url: string; tenant: Tenant; odd: readonly OddRequest[]; random: () => number },
): Promise<HostileTenant> {
  const { key } = tenant;
  const deeds: Record<string, Record<number, number>> = {};
  const ending = new AbortController();
  const hangUrl = await openHanging(closer);

  function count(deed: string, answers: readonly ({ readonly status: number } | null)[]): void {
    const counts = (deeds[deed] ??= {});
    for (const [status, total] of Object.entries(statusesOf(answers))) counts[Number(status)] = (counts[Number(status)] ?? 0) + total;
  }

  async function repeat(deed: string, doOnce: () => Promise<readonly ({ readonly status: number } | null)[]>): Promise<void> {
    while (!ending.signal.aborted) {
      count(deed, await doOnce());
      await delay(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  let left: OddRequest[] = [];
  async function sendOddTexts(): Promise<void> {
    while (!ending.signal.aborted) {
      if (left.length === 0) left = shuffle(odd, random);
      count('odd texts', [await sendOdd(url, key, left.pop() as OddRequest)]);
    }
  }

  let logins = 0;
  const running = [
    ...Array.from({ length: 3 }, sendOddTexts),
    repeat('orders', () =>
      atOnce(ORDERS_AT_ONCE, () =>
        callOnce(`${url}${JOBS}`, {
          key,
          method: 'POST',
          body: { dataset: 'book', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], format: 'csv' },
        }),
      ),
    ),
    repeat('reads', () =>
      atOnce(READS_AT_ONCE, () => callOnce(`${url}${MARKET_STATE}/replay?symbol=BTCUSD-PERP&limit=500`, { key, from: FROM })),
    ),
    repeat('streams', async () => {
      const streams = await atOnce(STREAMS_AT_ONCE, (at) =>
        openStream(closer, `${url}${STREAMS[at % STREAMS.length]}`, { key, from: FROM, isSlow: true }),
      );
      for (const stream of streams.slice(STREAMS_AT_ONCE / 2)) stream.close();
      return streams;
    }),
    repeat('logins', () =>
      atOnce(LOGINS_AT_ONCE, (at) => {
        logins += 1;
        const body = { email: `somebody-${logins}@example.org`, password: 'not the one' };
        const from = `127.0.${4 + Math.floor(logins / 250)}.${1 + (at % 250)}`;
        return callOnce(`${url}${MARKET_STATE}/account/auth/login`, { method: 'POST', body, from, headers: { origin: url } });
      }),
    ),
    repeat('hanging endpoints', async () => {
      const made = await callOnce(`${url}${MARKET_STATE}/webhooks`, {
        key,
        from: FROM,
        method: 'POST',
        body: { url: hangUrl, event_kinds: ['packet.created'] },
      });
      const id = /"webhook_id":"([^"]+)"/.exec(made?.text ?? '')?.[1] ?? 'none';
      const tests = await atOnce(10, () =>
        callOnce(`${url}${MARKET_STATE}/webhooks/${id}/test`, { key, from: FROM, method: 'POST', body: {} }),
      );
      return [made, ...tests, await callOnce(`${url}${MARKET_STATE}/webhooks/${id}`, { key, from: FROM, method: 'DELETE' })];
    }),
  ];
  return {
    async stop() {
      ending.abort();
      await Promise.all(running);
      return deeds;
    },
  };
}

/** Opens a server that accepts connections and never answers, not even a TLS handshake. */
async function openHanging(closer: Closer): Promise<string> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  closer.add('hanging endpoint', () => void server.close());
  await once(server, 'listening');
  return `https://localhost:${(server.address() as AddressInfo).port}/hook`;
}

/** Long enough for shares, which need packets that are ten minutes old. */
const HISTORY_MINUTES = '20';
const CREDITS = 10_000_000;
const SHOWN_MAX = 20;
const SLOWEST_SHOWN = 8;
const QUIET_S_MAX = 60;
const ODD_OF_SHORT = 3_000;
const ODD_AT_ONCE = 4;

interface Phase {
  readonly answered: readonly Answered[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuShare: number;
}

export const isolationSuite: Suite = {
  id: 'isolation',
  claim: 'a hostile trial causes no error and no slow answer for a paying tenant who uses every operation',
  budget: { default: 300, counts: 'seconds of attack' },
  short: { seed: 1, budget: 60 },
  async run({ closer, report, budget, isShort, random, say }) {
    const receivers = await openReceivers(closer, 0, random);
    const caFile = join(openFolder(closer), 'receivers.pem');
    writeFileSync(caFile, receivers.ca);
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES, WEBHOOK_TEST_CA_FILE: caFile } });
    closer.add('system', () => system.stop());
    const { url } = system;
    const tenants = openTenants(closer, `127.0.0.1:${system.processes.portsOf('account').grpc}`, system.rpc.identityOf('operator'));
    const paying = await tenants.create({ planId: 'enterprise', marketStateCredits: CREDITS, exportCredits: CREDITS, scopes: ALL_SCOPES });
    const trial = await tenants.create({ planId: 'trial', scopes: ALL_SCOPES });
    const operations = await readOperations(url);
    const tenant = await openPayingTenant(openCaller(closer, 4), { url, tenant: paying, operations, hookUrl: receivers.urlOf('paying') });

    say('the paying tenant without the trial');
    await tenant.round();
    const quiet = await callFor(tenant, Math.min(budget, QUIET_S_MAX));
    const used = new Set(quiet.answered.map(({ operationId }) => operationId));
    const refused = new Set(quiet.answered.filter(({ status }) => status >= 300).map(({ operationId }) => operationId));
    report.check(refused.size <= used.size / 10, 'More than one operation in ten is rejected without the trial.');

    const odd = operations.filter(({ isStream }) => !isStream).flatMap(oddRequests);
    const sent = isShort ? shuffle(odd, random).slice(0, ODD_OF_SHORT) : odd;
    say(`${sent.length} odd texts`);
    const fuzzer = await tenants.create({ planId: 'enterprise', marketStateCredits: CREDITS, exportCredits: CREDITS, scopes: ALL_SCOPES });
    const oddAnswers = await mapAtOnce(sent, (request) => sendOdd(url, fuzzer.key, request));
    report.fail(
      ...firstOf(
        oddAnswers.filter(({ status }) => status === 0 || status >= 500).map(({ sentence }) => sentence),
        SHOWN_MAX,
      ),
    );

    say(`the paying tenant next to the trial, for ${budget} s`);
    const hostile = await startHostileTenant(closer, { url, tenant: trial, odd, random });
    const during = await callFor(tenant, budget);
    const deeds = await hostile.stop();

    const errors = during.answered.filter(({ operationId, status }) => status >= 300 && !refused.has(operationId));
    report.fail(...firstOf(errors.map(sentenceOf), SHOWN_MAX));
    report.checkTime(during.p99Ms <= 2 * quiet.p99Ms, `The p99 of the paying tenant rose from ${quiet.p99Ms} to ${during.p99Ms} ms.`);
    report.checkTime(during.cpuShare <= 1.5 * quiet.cpuShare, 'With the trial the system used more than 1.5 times the CPU.');
    report.figure(
      'operations of the paying tenant',
      `${used.size - refused.size}; rejected without the trial: ${[...refused].join(', ') || 'none'}`,
    );
    report.figure('odd texts in every field, by status', countsOf(statusesOf(oddAnswers)));
    for (const [name, { answered, p50Ms, p99Ms, cpuShare }] of Object.entries({ 'without the trial': quiet, 'next to the trial': during }))
      report.figure(
        `calls ${name}`,
        `${answered.length}, p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${cpuShare.toFixed(2)} cores; slowest: ${slowestOf(answered)}`,
      );
    report.figure('errors of the paying tenant', errors.length);
    for (const [deed, statuses] of Object.entries(deeds)) report.figure(`the trial's ${deed}, by status`, countsOf(statuses));
  },
};

function sentenceOf({ operationId, status, text }: Answered): string {
  return `${operationId} of the paying tenant answered ${status}: ${text.slice(0, 160)}`;
}

function slowestOf(answered: readonly Answered[]): string {
  const slowest = new Map<string, number>();
  for (const { operationId, tookMs } of answered) slowest.set(operationId, Math.max(tookMs, slowest.get(operationId) ?? 0));
  return [...slowest]
    .sort(([, one], [, other]) => other - one)
    .slice(0, SLOWEST_SHOWN)
    .map(([operationId, tookMs]) => `${operationId} ${Math.round(tookMs)} ms`)
    .join(', ');
}

async function callFor(tenant: PayingTenant, seconds: number): Promise<Phase> {
  const [startMs, cpuMs] = [performance.now(), cpuMsBelow(process.pid, 0)];
  const answered: Answered[] = [];
  while (performance.now() - startMs < seconds * 1_000) answered.push(...(await tenant.round()));
  const took = answered.map(({ tookMs }) => tookMs);
  return {
    answered,
    p50Ms: Math.round(percentile(took, 0.5)),
    p99Ms: Math.round(percentile(took, 0.99)),
    cpuShare: (cpuMsBelow(process.pid, 0) - cpuMs) / (performance.now() - startMs),
  };
}

async function mapAtOnce<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const limit = createConcurrencyLimit(ODD_AT_ONCE);
  return Promise.all(items.map((item) => limit(() => work(item))));
}
