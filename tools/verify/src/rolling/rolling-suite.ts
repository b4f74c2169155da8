import { setTimeout as delay } from 'node:timers/promises';
import { lastRelease } from '@market-state/deploy';
import { workspaceRoot } from '@market-state/launcher';
import { judgeMarket } from '../cluster/judge-market';
import { readPackets } from '../cluster/packet-stream';
import { openTenants, withCloser } from '@market-state/testing';
import { needsProgram, Report, type Suite, type SuiteContext } from '../harness';
import { judgeTrades } from '../standby/judge-trades';
import { judgeCredits, judgeExports, judgeMessages, judgePackets, judgeReads, judgeRows, reportReplaced } from './judge';
import { hasNewerMigrations, runOldTests } from './old-tests';
import { beginOrders } from './orders';
import { readAll } from './reads';
import { buildRelease, type BuiltRelease, commitOf } from './release-build';
import type { Replaced } from './release-processes';
import { inRollingOrder, roll } from './roll';
import { readRows } from './row-stream';
import { openRollingScene, type RollingScene, SYMBOLS } from './scene';

const READS_PER_SECOND = 200;
const CREDITS = 10_000_000;
/** Before the first process is replaced, between there and back, and after the last. */
const CALM_MS = 20_000;
/** What --only takes beside names of processes: the tests of the older release. */
const TESTS = 'tests';

/** A release replaced by the next and back again, process by process, while customers notice nothing. */
export const rollingSuite: Suite = {
  id: 'rolling',
  claim:
    'the last release (or that of --from) is replaced by this one and back again, one process after the other under reads, streams, exports and ' +
    'webhooks: no call fails, no packet, row, message or credit is lost or doubled, and nothing is entered in the gap ledger',
  budget: { default: 1, counts: 'times there and back' },
  short: { seed: 1, budget: 1, only: 'labeling,gateway' },
  needs: [needsProgram('unshare', 'util-linux'), needsProgram('haproxy', 'haproxy')],
  async run(context) {
    const { say, from, only } = context;
    const commit = await commitOf(from ?? lastRelease(workspaceRoot()).commit);
    say(`building ${commit}`);
    const before = await buildRelease(commit);
    if (only !== TESTS) await withCloser((closer) => rollThereAndBack({ ...context, closer }, before));
    if (only === undefined ? hasNewerMigrations(before) : only === TESTS) {
      say(`the tests of ${before.name} on the migrations of this one`);
      await withCloser((closer) => runOldTests(closer, context.report, before));
    }
  },
};

async function rollThereAndBack(context: SuiteContext, before: BuiltRelease): Promise<void> {
  const { report, closer, budget, say } = context;
  const now: BuiltRelease = { name: 'this one', root: workspaceRoot() };
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
  if (order.length === 0) throw new Error(`--only takes names of processes, comma separated; it is "${only}".`);
  const tell = ({ place, release, stopMs, readyMs }: Replaced): void =>
    say(`${place.name} is of ${release.name}: ended after ${Math.round(stopMs)} ms, ready after ${Math.round(readyMs)} ms`);
  const there = await roll(scene, now, order, tell);
  reportReplaced(report, 'there', there);
  await delay(CALM_MS);
  const back = await roll(scene, before, [...order].reverse(), tell);
  reportReplaced(report, 'back', back);
  await delay(CALM_MS);
  return [...there, ...back];
}
