import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createMessage, labeling, type webhook } from '@market-state/contracts';
import { createState, loadPolicy, type PacketResult, reduce } from '@market-state/labeler';
import type { Stores } from '@market-state/launcher';
import { bundledFiles, instrumentOf, recordingLines, recordingLog } from '@market-state/market-data';
import { bundledRecording } from '@market-state/recorded-market';
import { createRandom, openPrivateStores, withCloser, wholeBetween } from '@market-state/testing';
import type { Pool } from 'pg';
import { firstOf, openPool, type Suite, type SuiteContext, type Report } from '../harness';
import { prepareDatabase, tenantsOf, type Watched, rulesOfEveryKind } from './rule-set';
import { differencesOf, episodeFaults, alertsByRule, type Outcome, readOutcome, type SentMessage } from './outcome';
import { entriesOf, startEvaluators, type Disturbance, packetTotalOf, type PacketsBySymbol, playPackets } from './evaluators';
import { verifyFanOut } from './fan-out';
import { rehearsalDifferences, rehearseAll } from './rehearsal';

interface Compared {
  readonly unbroken: Outcome;
  readonly disturbed: Outcome;
  readonly rehearsed: readonly webhook.RehearsedRule[];
}

type Found = readonly [unbroken: number, episodes: number, rehearsal: number];

function plantFaults({ unbroken, disturbed, rehearsed }: Compared, report: Report): void {
  const at = disturbed.messages.findLastIndex(({ event_kind: kind }) => kind === 'alert.triggered');
  const message = disturbed.messages[at];
  const [standing] = disturbed.standings;
  if (message === undefined || standing === undefined) throw new Error('No alert was sent, or no rule has a state.');
  const again = { ...message, message_id: 'msg_again', position: message.position + 1 };
  const changed = (change: Partial<SentMessage>): Outcome => ({
    ...disturbed,
    messages: disturbed.messages.with(at, { ...message, ...change }),
  });
  const inserted = (extra: SentMessage): Outcome => ({ ...disturbed, messages: disturbed.messages.toSpliced(at + 1, 0, extra) });
  const state = standing.state.replace(/"state":"\w+"/, '"state":"pending"');
  const planted: readonly (readonly [what: string, outcome: Outcome, expected: (found: Found) => boolean, first?: RegExp])[] = [
    ['a dropped message', { ...disturbed, messages: disturbed.messages.toSpliced(at, 1) }, equalTo(2, 0, 2), /^Lost: ten_\d\d: alert rul_/],
    ['a message sent twice', inserted(again), equalTo(2, 2, 2), /^Sent twice: ten_\d\d: alert rul_/],
    ['a message sent twice under different ids', inserted({ ...again, occasion: `${again.occasion} again` }), equalTo(2, 2, 2)],
    ['a different body', changed({ data: message.data.replace('"late":false', '"late":true') }), equalTo(1, 0, 0)],
    ['a missing delivery', changed({ sent: '' }), equalTo(message.sent === '' ? 0 : 1, 0, 0)],
    ['a different order', { ...disturbed, messages: disturbed.messages.toReversed() }, ([found]) => found > 0],
    ['missing inputs', { ...disturbed, rest: disturbed.rest.slice(1) }, equalTo(1, 0, 0)],
    ['a different state', { ...disturbed, standings: disturbed.standings.with(0, { ...standing, state }) }, equalTo(1, 0, 1)],
    ['a missing state', { ...disturbed, standings: disturbed.standings.slice(1) }, ([found]) => found === 1],
  ];
  for (const [what, outcome, isExpected, first = /^/] of planted) {
    const differences = differencesOf(unbroken, outcome);
    const found: Found = [differences.length, episodeFaults(outcome).length, rehearsalDifferences(outcome, rehearsed).length];
    report.check(
      isExpected(found) && first.test(differences[0] ?? ''),
      `The comparisons missed the planted fault "${what}": they found ${found.join(', ')} differences, first ${differences[0] ?? 'none'}`,
    );
  }
  report.figure('planted faults', planted.length);
}

function equalTo(...expected: Found): (found: Found) => boolean {
  return (found) => found.every((total, at) => total === expected[at]);
}

const RECORDED_SYMBOLS: readonly string[] = Object.keys(bundledFiles);

/** Spacing of single missing packets, and one gap of more than ten minutes. */
const HOLE_EVERY = 40;
const LONG_HOLE_PACKETS = 70;
/** Trades stop for three minutes every half hour, so that the feed is stale at times. */
const SILENT_EVERY_MS = 1_800_000;
const SILENT_MS = 180_000;

function recordedPackets(symbol: string, total: number, random: () => number): labeling.PacketRecord[] {
  const longGap = wholeBetween(Math.floor(total / 3), Math.floor(total / 2), random);
  const records: labeling.PacketRecord[] = [];
  let at = 0;
  for (const packet of packetsOf(symbol)) {
    if (records.length === total) break;
    at += 1;
    const isInLongHole = at > longGap && at <= longGap + LONG_HOLE_PACKETS;
    if (isInLongHole || (at > 1 && wholeBetween(1, HOLE_EVERY, random) === 1)) continue;
    records.push(recordOf(packet, records.length + 1));
  }
  return records;
}

function* packetsOf(symbol: string): Generator<PacketResult> {
  const lines = (bundledFiles[symbol] ?? []).flatMap((file) => [...recordingLines(gunzipSync(readFileSync(bundledRecording(file))))]);
  const state = createState(symbol, loadPolicy());
  for (const event of recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs: 0 })) {
    const isSilent = event.receivedTsMs % SILENT_EVERY_MS < SILENT_MS;
    if (event.kind !== 'trade' || !isSilent) yield* reduce(state, event);
  }
}

function recordOf({ symbol, windowEndMs, eventId, packetId, body }: PacketResult, sequence: number): labeling.PacketRecord {
  return createMessage(labeling.PacketRecord, { symbol, windowEndMs, sequence, eventId, packetId, body: Buffer.from(body) });
}

const EVALUATORS = 2;
const SHOWN_MAX = 10;
const SECOND_MS = 1_000;

const LONG = { rules: 1_000, symbols: 2, packets: 1_080, endpoints: 10_000 };
const SHORT = { rules: 20, symbols: 1, packets: 300, endpoints: 2_500 };

interface Scene extends Watched {
  readonly stores: Stores;
  readonly pool: Pool;
  readonly owner: Pool;
  readonly packets: PacketsBySymbol;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly endpoints: number;
  readonly isTimed: boolean;
}

export const alertSuite: Suite = {
  id: 'alerts',
  claim:
    'two evaluators killed at random moments leave the same rule states, episodes and messages as an uninterrupted run; the rehearsal agrees; ' +
    'a packet wanted by many endpoints reaches each exactly once',
  budget: { default: 50, counts: 'kills' },
  short: { seed: 20_261_124, budget: 3 },
  run: verifyAlerts,
};

async function verifyAlerts(context: SuiteContext): Promise<void> {
  const { report, say, random, budget: kills } = context;
  const scene = await openScene(context);
  say(`${scene.rules.length} rules, ${packetTotalOf(scene.packets)} packets; uninterrupted run`);
  const unbroken = await pass(scene, 1);
  say('same packets, with two evaluators being killed');
  const disturbed = await pass(scene, EVALUATORS, { kills, random: createRandom(Math.floor(random() * 2 ** 32)), say });
  say('rehearsal');
  const rehearsed = await withCloser((closer) =>
    rehearseAll(closer, scene.stores, scene, { fromMs: scene.firstMs, toMs: scene.lastMs + 1 }),
  );
  const compared = { unbroken: unbroken.outcome, disturbed: disturbed.outcome, rehearsed };
  reportOn(scene, compared, report);
  if (report.failures.length === 0) plantFaults(compared, report);
  report.figure('kills', `${kills}, ${disturbed.killsAtWork} of the active evaluator; ${disturbed.undone} transactions rolled back`);
  report.figure('seconds', `${unbroken.seconds} uninterrupted, ${disturbed.seconds} disturbed`);
  const [packets = []] = scene.packets.values();
  await verifyFanOut({ ...scene, packets }, context);
}

async function openScene({ closer, isShort, random, rules: ruleTotal, symbols: symbolTotal }: SuiteContext): Promise<Scene> {
  const form = isShort ? SHORT : LONG;
  const symbols = RECORDED_SYMBOLS.slice(0, symbolTotal ?? form.symbols);
  const rules = rulesOfEveryKind(ruleTotal ?? form.rules, random);
  const opening = openPrivateStores(closer, 'webhook');
  opening.catch(() => undefined);
  const packets = endedTogether(new Map(symbols.map((symbol) => [symbol, recordedPackets(symbol, form.packets, random)])));
  const stores = await opening;
  const ends = [...packets.values()].flat().map(({ windowEndMs }) => windowEndMs);
  return {
    stores,
    pool: openPool(closer, stores.postgresUrl('webhook')),
    owner: openPool(closer, stores.ownerUrl('webhook')),
    rules,
    symbols,
    packets,
    endpoints: form.endpoints,
    isTimed: form === LONG,
    firstMs: Math.min(...ends),
    lastMs: Math.max(...ends),
  };
}

/**
 * Drops packets after the last window that all symbols share: a rehearsal would see silence for a symbol that ends
 * earlier.
 */
function endedTogether(packets: PacketsBySymbol): PacketsBySymbol {
  const [first = [], ...others] = [...packets.values()].map((records) => records.map(({ windowEndMs }) => windowEndMs));
  const lastMs = first.findLast((endMs) => others.every((ends) => ends.includes(endMs))) ?? 0;
  return new Map([...packets].map(([symbol, records]) => [symbol, records.filter(({ windowEndMs }) => windowEndMs <= lastMs)]));
}

interface Pass {
  readonly outcome: Outcome;
  readonly killsAtWork: number;
  readonly undone: number;
  readonly seconds: number;
}

function pass(scene: Scene, total: number, disturbance?: Disturbance): Promise<Pass> {
  return withCloser(async (closer) => {
    const { stores, owner, pool, rules, lastMs } = scene;
    await prepareDatabase(owner, scene);
    const faultSeed = disturbance === undefined ? undefined : Math.floor(disturbance.random() * 2 ** 32);
    const nowMs = lastMs + SECOND_MS;
    const evaluators = await startEvaluators(closer, { stores, tenants: tenantsOf(rules), total, nowMs, faultSeed });
    const undoneBefore = await undoneSoFar(owner);
    const startedMs = performance.now();
    const killsAtWork = await playPackets(pool, scene.packets, evaluators, disturbance);
    const seconds = Math.round((performance.now() - startedMs) / SECOND_MS);
    await evaluators.stop();
    await owner.query('ANALYZE');
    return { outcome: await readOutcome(pool), killsAtWork, undone: (await undoneSoFar(owner)) - undoneBefore, seconds };
  });
}

async function undoneSoFar(owner: Pool): Promise<number> {
  const { rows } = await owner.query<{ total: string }>(
    'SELECT xact_rollback AS total FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.total ?? 0);
}

function reportOn(scene: Scene, { unbroken, disturbed, rehearsed }: Compared, report: SuiteContext['report']): void {
  const differences = differencesOf(unbroken, disturbed);
  const faults = episodeFaults(disturbed);
  const otherwise = rehearsalDifferences(disturbed, rehearsed);
  report.fail(...firstOf(differences, SHOWN_MAX), ...firstOf(faults, SHOWN_MAX), ...firstOf(otherwise, SHOWN_MAX));
  const alerts = [...alertsByRule(disturbed.messages).values()].flat();
  const phases = (phase: string): number => alerts.filter((alert) => alert.phase === phase).length;
  const kinds = new Set(scene.rules.map(({ kind }) => kind));
  const reported = new Set(alerts.map(({ rule_id: ruleId }) => scene.rules.find((rule) => rule.ruleId === ruleId)?.kind));
  report.check(reported.size === kinds.size, `Only ${reported.size} of ${kinds.size} rule kinds sent a message.`);
  const entries = entriesOf(tenantsOf(scene.rules)).length;
  const taken = disturbed.messages.filter(({ symbol }) => symbol === '').length;
  report.check(taken === entries, `${taken} messages were created for ${entries} outbox entries.`);
  report.figure(
    'rules',
    `${scene.rules.length} of ${kinds.size} kinds on ${scene.symbols.length} symbols, ${disturbed.standings.length} rule states`,
  );
  report.figure('packets', packetTotalOf(scene.packets));
  report.figure(
    'messages',
    `${disturbed.messages.length}: ${phases('triggered')} triggers, ${phases('recovered')} recoveries, ${taken} of ${entries} outbox entries`,
  );
  report.figure('rehearsed', `${rehearsed.length} rules and symbols`);
  report.figure(
    'differences',
    `${differences.length} from the uninterrupted run, ${faults.length} in episodes, ${otherwise.length} from the rehearsal`,
  );
}
