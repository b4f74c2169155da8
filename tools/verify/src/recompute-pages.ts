import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bundlesOfLog, type LogBundle, loadPolicy, publicKeyBytesOf, type SigningKey, signingKeyOf } from '@market-state/labeler';
import { instrumentOf, type MarketEvent, recordingLines, recordingLog } from '@market-state/market-data';
import { scenarioEvents, type ScenarioName } from '@market-state/scenarios';
import { bundledRecording } from '@market-state/recorded-market';
import { type PageRequest, type LabPageAnswer, type RecomputePage, oneOf } from '@market-state/testing';
import { bundleLines, editedPolicy, openLab, relabelLab } from '@market-state/labeler/lab';
import { NUMBER_FIELDS, numberAt, type NumberEdits } from '@market-state/labeler/policy-numbers';
import type { SuiteContext } from './harness';

/** Limits for fifteen minutes of data under edited numbers: answer time, and blocking of the page. */
const QUARTER = { answerMs: 1_000, pauseMs: 50, editTotal: 7 };

/**
 * Labels each bundle in the policy lab's worker: published numbers must reproduce the published packets byte for byte,
 * edited ones the packets of the labeler in Node. Invalid numbers must be rejected.
 */
export async function verifyLab(page: RecomputePage, bundles: readonly LogBundle[], context: SuiteContext): Promise<void> {
  const { report, random, say } = context;
  const policy = loadPolicy();
  const found = { same: 0, other: 0, refused: 0 };
  for (const [at, { lines, packets }] of bundles.entries()) {
    const bytes = packed(lines);
    const edits = drawnEdits(random);
    const { opened, answers } = await page.label(bytes, policy.files, [{}, edits]);
    const name = packets[0]?.packet_id ?? '';
    if (opened.type === 'refused') {
      report.fail(`the lab does not open packets from ${name} on: ${opened.lines.join(' ')}`);
      continue;
    }
    const [same, other] = answers.map(({ answer }) => digestsOf(answer));
    const published = packets.map(({ packet_digest: digest }) => digest);
    report.check(isSame(same ?? [], published), `packets from ${name} on differ under the published numbers`);
    if (isSame(same ?? [], published)) found.same += published.length;
    const edited = editedPolicy(policy, edits);
    if ('digest' in edited) {
      const lab = await openLab(await bundleLines(Uint8Array.from(bytes)), policy.files);
      const made = relabelLab(lab, edited).map(({ packetDigest }) => packetDigest);
      report.check(isSame(other ?? [], made), `packets from ${name} on differ from Node's under ${JSON.stringify(edits)}`);
      found.other += made.length;
    } else {
      report.check(answers[1]?.answer.type === 'faults', `invalid numbers were accepted: ${JSON.stringify(edits)}`);
      found.refused += 1;
    }
    if ((at + 1) % 20 === 0) say(`the lab: ${at + 1} of ${bundles.length} bundles`);
  }
  report.figure('packets equal in the lab under the published numbers', found.same);
  report.figure("packets under edited numbers, equal to Node's", found.other);
  report.figure('edits rejected as no valid policy', found.refused);
}

export async function timeLab(page: RecomputePage, bundle: LogBundle, { report }: SuiteContext): Promise<void> {
  const edits = Array.from({ length: QUARTER.editTotal }, (_none, at) => ({ 'thresholds.pressure.watch': String(0.05 + at / 100) }));
  const { openedMs, answers } = await page.label(packed(bundle.lines), loadPolicy().files, edits);
  const times = answers.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
  const pauseMs = Math.max(...answers.map(({ longestPauseMs }) => longestPauseMs));
  report.figure('the lab: fifteen minutes opened and compared with the published packets', `${Math.round(openedMs)} ms`);
  report.figure('the lab: labelling under edited numbers, median', `${Math.round(median)} ms, at most ${Math.round(times.at(-1) ?? 0)} ms`);
  report.figure('longest pause of the page during that, the lab', `${Math.round(pauseMs)} ms`);
  report.check(answers.length === QUARTER.editTotal, 'the lab did not label the fifteen minutes');
  report.checkTime(median <= QUARTER.answerMs, `fifteen minutes took ${Math.round(median)} ms under edited numbers`);
  report.checkTime(pauseMs <= QUARTER.pauseMs, `the page paused ${Math.round(pauseMs)} ms`);
}

function drawnEdits(random: () => number): NumberEdits {
  const { numbers } = loadPolicy();
  const total = 1 + Math.floor(random() * 3);
  const edits = Array.from({ length: total }, () => {
    const { path, kind } = oneOf(NUMBER_FIELDS, random) ?? { path: 'dwell.packets', kind: 'integer' };
    const value = numberAt(numbers, path);
    if (typeof value === 'boolean' || value === undefined) return [path, String(value !== true)];
    const moved = value * (0.5 + random());
    return [path, String(kind === 'integer' ? Math.round(moved / gridOf(path)) * gridOf(path) : Number(moved.toFixed(6)))];
  });
  return Object.fromEntries(edits) as NumberEdits;
}

/** Durations are multiples of the packet interval. */
function gridOf(path: string): number {
  return path.endsWith('_ms') && /^(?:windows|lanes|calibration|severity)\./.test(path) ? 10_000 : 1;
}

function digestsOf(answer: LabPageAnswer): readonly string[] {
  return answer.type === 'relabelled' ? answer.readings.map(({ packetDigest }) => packetDigest) : [];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((digest, at) => digest === other[at]);
}

const PASSES = 2;
/** Hours of ordinary market before the faults; a cold start comes immediately. */
const HOURS = { fault: 1.25, coldStart: 0.2 };
const FAULTS: readonly ScenarioName[] = ['book_gap', 'trade_gap', 'reconnect', 'recording_seam', 'late_events', 'duplicates', 'feed_down'];
const MARKED = /"(?:book_gap|trade_gap|feed_reconnected|recording_seam|late_events)"/;

interface NamedLog {
  readonly name: string;
  readonly symbol: string;
  readonly events: Iterable<MarketEvent>;
}

export interface Maker {
  readonly key: SigningKey;
  readonly published: NonNullable<PageRequest['keys']>[number];
  sign(packetDigest: string): string;
}

export function newMaker(): Maker {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = signingKeyOf(publicKeyBytesOf(publicKey));
  const x = Buffer.from(key.publicKeyBytes).toString('base64url');
  return { key, published: { kid: key.keyId, x }, sign: (digest) => signatureOf(digest, privateKey) };
}

function signatureOf(digest: string, privateKey: KeyObject): string {
  return sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64');
}

/** Recorded logs with seams, and simulated ones with one kind of fault each; only one of both for few packets. */
export function logsFor(packetTotal: number, seed: number): readonly NamedLog[] {
  const simulated = (scenario: ScenarioName, hours: number): NamedLog => ({
    name: scenario,
    symbol: 'SIMUSD-PERP',
    events: scenarioEvents({ scenario, seed, hours }),
  });
  const few = [recorded('BTCUSD-PERP', 'btcusd_perp'), simulated('cold_start', HOURS.coldStart)];
  return packetTotal < 100
    ? few
    : [...few, recorded('ETHUSD-PERP', 'ethusd_perp'), ...FAULTS.map((fault) => simulated(fault, HOURS.fault))];
}

function recorded(symbol: string, name: string): NamedLog {
  return { name: `recording of ${symbol}`, symbol, events: recordedEvents(symbol, name) };
}

function* recordedEvents(symbol: string, name: string): Generator<MarketEvent> {
  const files = ['20240808', '20240809'].map((day) => gunzipSync(readFileSync(bundledRecording(`${name}_${day}.gz`))));
  const lines = files.flatMap((bytes) => [...recordingLines(bytes)]);
  for (const event of recordingLog({ instrument: instrumentOf(symbol), lines, firstShiftMs: 0 })) {
    if (event.pass > PASSES) return;
    yield event;
  }
}

/** Bundles of a log up to a number of packets: those with gaps and seams first, then from the start. */
export function bundlesFrom(
  { symbol, events }: NamedLog,
  packetTotal: number,
  packetsEach: number,
  { key, sign: signed }: Maker,
): LogBundle[] {
  const all = [...bundlesOfLog(events, { symbol, policy: loadPolicy(), packetTotal: packetsEach, key, sign: signed })];
  const marked = all.filter(({ packets }) => packets.some(({ packet }) => MARKED.test(JSON.stringify(packet))));
  const others = all.filter((bundle) => !marked.includes(bundle));
  const wanted = Math.ceil(packetTotal / packetsEach);
  return [...marked.slice(0, Math.ceil(wanted / 2)), ...others].slice(0, wanted);
}

/** Encoded as the route serves them. */
export function packed(lines: readonly string[]): Uint8Array {
  return gzipSync(lines.join('\n'));
}
