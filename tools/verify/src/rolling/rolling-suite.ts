import { setTimeout as delay } from 'node:timers/promises';
import { lastRelease } from '@market-state/deploy';
import { workspaceRoot, services, withClient } from '@market-state/launcher';
import { openTenants, withCloser, waitUntil, countsOf, percentile, rounded, statusesOf } from '@market-state/testing';
import { judgeMarket } from '../cluster/judge-market';
import { judgePackets, readPackets } from '../cluster/load';
import { needsProgram, Report, type Suite, type SuiteContext, auditLedger, firstOf, openPool, receiptsOnceThere } from '../harness';
import { judgeTrades, RECORDED } from '../standby-scene';
import { hasNewerMigrations, runOldTests, buildRelease, type BuiltRelease, commitOf } from './release-build';
import { beginOrders, type Orders, readAll, type Reader, readRows, type RowStream } from './load';
import type { Replaced, Place, Places } from './release-processes';
import { openRollingScene, type RollingScene, SYMBOLS } from './scene';
import { judgeLedger } from '../edge/judge-ledger';

const SHOWN_MAX = 8;
const POSTED_MS_MAX = 30_000;
const DELIVERED_MS_MAX = 60_000;

function replacedAt(replaced: readonly Replaced[], ms: number): string {
  const found = replaced.find(({ atMs, stopMs, readyMs }) => ms >= atMs && ms <= atMs + stopMs + readyMs);
  return found === undefined ? 'while nothing was being replaced' : `while ${found.place.name} was replaced with ${found.release.name}`;
}

function judgeReads(report: Report, readers: readonly Reader[], replaced: readonly Replaced[]): void {
  const all = readers.flatMap(({ path, reads }) => reads.reads.map((read) => ({ path, ...read })));
  const failed = all.filter(({ status }) => status !== 200);
  const alike = new Map<string, number>();
  for (const { path, status, why, endMs } of failed) {
    const kind = `${path} ${status}${why === '' ? '' : `, ${why}`}, ${replacedAt(replaced, endMs)}`;
    alike.set(kind, (alike.get(kind) ?? 0) + 1);
  }
  report.check(failed.length === 0, `${failed.length} of ${all.length} reads failed: ${countsOf(statusesOf(failed))}.`);
  report.fail(
    ...firstOf(
      [...alike].map(([kind, total]) => `${total} times ${kind}`),
      SHOWN_MAX,
    ),
  );
  const times = all.filter(({ status }) => status === 200).map(({ sentMs, endMs }) => endMs - sentMs);
  const lastMs = Math.max(...all.map(({ endMs }) => endMs));
  const firstMs = Math.min(...all.map(({ sentMs }) => sentMs));
  report.figure('reads, a second', `${all.length}, ${rounded((all.length * 1_000) / (lastMs - firstMs))}`);
  report.figure('reads, ms: p50, p99, longest', [0.5, 0.99, 1].map((share) => rounded(percentile(times, share))).join(', '));
}

/** Each answered read is charged once, at the price stated in its answer. */
async function judgeCredits({ report, closer }: SuiteContext, { stores }: RollingScene, readers: readonly Reader[]): Promise<void> {
  const pool = openPool(closer, stores.postgresUrl('account'));
  let total = 0;
  for (const { path, tenant, reads } of readers) {
    const part = new Report();
    const isMetered = reads.log.served.some(({ credits }) => credits > 0);
    const receipts = await receiptsOnceThere(pool, tenant.tenantId, isMetered ? reads.log.served.length : 0, POSTED_MS_MAX);
    if (receipts > 0 || isMetered) await judgeLedger(part, pool, [tenant.tenantId], reads.log, []);
    report.fail(...part.failures.map((failure) => `${path}: ${failure}`));
    total += receipts;
  }
  report.figure('receipts, each for an answered read', total);
  const { entries, faults } = await auditLedger(pool);
  report.fail(...firstOf(faults, SHOWN_MAX));
  report.figure('ledger entries; all balances recomputed and equal', entries);
}

/** Every stored row from the first received to the last arrived once and in order. */
async function judgeRows(report: Report, stream: RowStream): Promise<void> {
  const { came, stored, connections } = await stream.end();
  const differs = came.findIndex((place, index) => place !== stored[index]);
  report.check(
    came.length === stored.length && differs === -1,
    `The trade stream of ${stream.symbol} had ${came.length} rows, ${stored.length} are stored; they differ from ${came[differs] ?? 'the end'} on, where ${stored[differs] ?? 'nothing'} is stored.`,
  );
  report.check(came.length > 0, `No trade of ${stream.symbol} arrived, so nothing was verified.`);
  report.figure(`${stream.symbol}: trades of a stream, each as stored; connections used`, `${came.length}; ${connections}`);
}

async function judgeExports(report: Report, { customer, ordered, failed }: Orders): Promise<void> {
  report.fail(...firstOf(failed, SHOWN_MAX));
  for (const id of ordered) await customer.digestsOf(id).catch((error: Error) => report.fail(error.message));
  report.check(ordered.length === new Set(ordered).size, 'Two orders returned the same export.');
  report.figure('exports ordered, all ready', ordered.length);
}

/** Each packet since the endpoint was registered became one message, delivered with one body. */
async function judgeMessages(report: Report, { stores, receivers }: RollingScene, { customer }: Orders): Promise<void> {
  const read = async <Row>(service: 'webhook' | 'labeling', sql: string, value: string): Promise<Row[]> =>
    withClient(stores.postgresUrl(service), async (client) => (await client.query(sql, [value])).rows as Row[]);
  const undelivered = async (): Promise<number> => {
    const sql = `SELECT count(*)::int AS total FROM delivery WHERE tenant_id = $1 AND event_kind = 'packet.created' AND status <> 'delivered'`;
    return (await read<{ total: number }>('webhook', sql, customer.tenantId))[0]?.total ?? 0;
  };
  await waitUntil('every delivery', async () => (await undelivered()) === 0, DELIVERED_MS_MAX).catch(() => undefined);
  report.check((await undelivered()) === 0, `${await undelivered()} messages were not delivered.`);
  const messages = await read<{ id: string; event: string }>(
    'webhook',
    `SELECT message_id AS id, split_part(occasion, ' ', 2) AS event FROM message WHERE tenant_id = $1 AND event_kind = 'packet.created'`,
    customer.tenantId,
  );
  const packets = await read<{ event: string }>(
    'labeling',
    'SELECT event_id AS event FROM packet WHERE symbol = $1 ORDER BY sequence',
    RECORDED,
  );
  const reported = new Map<string, number>();
  for (const { event } of messages) reported.set(event, (reported.get(event) ?? 0) + 1);
  const first = packets.findIndex(({ event }) => reported.has(event));
  const last = packets.findLastIndex(({ event }) => reported.has(event));
  const wrong = packets.slice(Math.max(0, first), last + 1).filter(({ event }) => reported.get(event) !== 1);
  report.check(messages.length > 0, 'No packet became a message, so nothing was verified.');
  report.check(wrong.length === 0, `${wrong.length} packets have no message or several; the first is ${wrong[0]?.event}.`);
  const arrived = receivers.arrived.filter(({ outcome }) => outcome === 'ok');
  const bodies = new Map<string, Set<string>>();
  for (const { messageId, digest } of arrived) bodies.set(messageId, (bodies.get(messageId) ?? new Set()).add(digest));
  const lost = messages.filter(({ id }) => bodies.get(id)?.size !== 1);
  report.check(lost.length === 0, `${lost.length} messages did not arrive, or arrived with different bodies.`);
  const faults = receivers.arrived.filter(({ fault }) => fault !== '');
  report.check(faults.length === 0, `${faults.length} messages have an invalid signature: ${faults[0]?.fault}.`);
  const total = arrived.filter(({ messageId }) => messages.some(({ id }) => id === messageId)).length;
  report.figure('messages of packets, their deliveries that arrived', `${messages.length}, ${total}`);
}

function reportReplaced(report: Report, way: string, all: readonly Replaced[]): void {
  for (const name of new Set(all.map(({ place }) => place.definition.name))) {
    const ofName = all.filter(({ place }) => place.definition.name === name);
    const span = (of: (replaced: Replaced) => number): string => ofName.map((each) => Math.round(of(each))).join(' and ');
    report.figure(
      `${way}: ${name}, ms to its exit, then until ready`,
      `${span(({ stopMs }) => stopMs)}; ${span(({ readyMs }) => readyMs)}`,
    );
  }
}

/** Time for a load balancer to detect that a gateway is back. */
const SEEN_MS = 3_000;

/** Services replaced first, in this order; the edge comes last, the others in between in the order of services.json. */
const FIRST = ['data-plane', 'labeling', 'account'];
const LAST = ['gateway'];

/** A release's processes in replacement order; of two, the second first. */
export function inRollingOrder({ all }: Pick<Places, 'all'>): readonly Place[] {
  const between = Object.keys(services).filter((name) => ![...FIRST, ...LAST].includes(name));
  const processes = [...FIRST, ...between, ...LAST].flatMap((service) => Object.keys(services[service]?.processes ?? {}));
  return processes.flatMap((name) => all.filter(({ definition }) => definition.name === name).reverse());
}

async function roll(
  { processes }: RollingScene,
  release: BuiltRelease,
  order: readonly Place[],
  onReplaced: (replaced: Replaced) => void,
): Promise<Replaced[]> {
  const all: Replaced[] = [];
  for (const place of order) {
    const replaced = await processes.replace(place, release);
    if (place.definition.isPublic === true) await delay(SEEN_MS);
    all.push(replaced);
    onReplaced(replaced);
  }
  return all;
}

const READS_PER_SECOND = 200;
const CREDITS = 10_000_000;
/** Before the first replacement, between the two directions, and after the last. */
const CALM_MS = 20_000;
/** Extra value of --only: the older release's tests. */
const TESTS = 'tests';

export const rollingSuite: Suite = {
  id: 'rolling',
  claim:
    'the last release (or that of --from) is replaced by this one and back again, one process after the other under reads, streams, exports and ' +
    'webhooks: no call fails, no packet, row, message or credit is lost or duplicated, and the gap ledger stays empty',
  budget: { default: 1, counts: 'round trips' },
  short: { seed: 1, budget: 1, only: 'labeling,gateway' },
  needs: [needsProgram('unshare', 'util-linux'), needsProgram('haproxy', 'haproxy')],
  async run(context) {
    const { say, from, only } = context;
    const commit = await commitOf(from ?? lastRelease(workspaceRoot()).commit);
    say(`building ${commit}`);
    const before = await buildRelease(commit);
    if (only !== TESTS) await withCloser((closer) => rollThereAndBack({ ...context, closer }, before));
    if (only === undefined ? hasNewerMigrations(before) : only === TESTS) {
      say(`the tests of ${before.name} on this release's migrations`);
      await withCloser((closer) => runOldTests(closer, context.report, before));
    }
  },
};

async function rollThereAndBack(context: SuiteContext, before: BuiltRelease): Promise<void> {
  const { report, closer, budget, say } = context;
  const now: BuiltRelease = { name: 'this release', root: workspaceRoot() };
  const scene = await openRollingScene(context, before);
  say(`${scene.places.all.length} processes of ${before.name} are ready`);
  const readers = await readAll(scene, closer, READS_PER_SECOND);
  const orders = await beginOrders(scene);
  const tenants = openTenants(closer, scene.account, scene.rpc.identityOf('operator'));
  const streaming = await tenants.create({ name: 'a reader of streams', planId: 'enterprise', marketStateCredits: CREDITS });
  const packets = SYMBOLS.map((symbol) => readPackets(scene.url, streaming.key, symbol));
  const rows = SYMBOLS.map((symbol) => readRows(scene.url, streaming.key, symbol));
  const replaced: Replaced[] = [];
  try {
    await delay(CALM_MS);
    for (const line of await scene.migrate(now)) say(line);
    for (let round = 0; round < budget; round += 1) replaced.push(...(await thereAndBack(context, scene, before, now)));
  } finally {
    await Promise.all([...readers.map(({ reads }) => reads.stop()), orders.stop()]);
  }
  judgeReads(report, readers, replaced);
  for (const stream of packets) judgePackets(report, stream.symbol, await stream.end());
  for (const stream of rows) await judgeRows(report, stream);
  await judgeExports(report, orders);
  await judgeMessages(report, scene, orders);
  await judgeCredits(context, scene, readers);
  await judgeTrades(report, scene.stores, scene.market.traded);
  for (const symbol of SYMBOLS) {
    const part = new Report();
    await judgeMarket(part, { system: scene, symbol, operator: scene.operator });
    report.add(part);
  }
}

async function thereAndBack(
  { report, say, only }: SuiteContext,
  scene: RollingScene,
  before: BuiltRelease,
  now: BuiltRelease,
): Promise<Replaced[]> {
  const order = inRollingOrder(scene.places).filter(({ definition: { name } }) => only === undefined || only.split(',').includes(name));
  if (order.length === 0) throw new Error(`--only takes comma-separated process names, not "${only}".`);
  const announce = ({ place, release, stopMs, readyMs }: Replaced): void =>
    say(`${place.name} now runs ${release.name}: stopped after ${Math.round(stopMs)} ms, ready after ${Math.round(readyMs)} ms`);
  const there = await roll(scene, now, order, announce);
  reportReplaced(report, 'there', there);
  await delay(CALM_MS);
  const back = await roll(scene, before, [...order].reverse(), announce);
  reportReplaced(report, 'back', back);
  await delay(CALM_MS);
  return [...there, ...back];
}
