import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bundlesOfLog, type LogBundle, loadPolicy, publicKeyBytesOf, type SigningKey, signingKeyOf } from '@market-state/labeler';
import { instrumentOf, type MarketEvent, recordingLines, recordingLog } from '@market-state/market-data';
import { scenarioEvents, type ScenarioName } from '@market-state/scenarios';
import { bundledRecording } from '@market-state/recorded-market';
import type { PageRequest } from '@market-state/testing';

/** Passes over a recording: seams lie between them. */
const PASSES = 2;
/** An hour of ordinary market, and the faults after it; a cold start comes at once. */
const HOURS = { fault: 1.25, coldStart: 0.2 };
const FAULTS: readonly ScenarioName[] = ['book_gap', 'trade_gap', 'reconnect', 'recording_seam', 'late_events', 'duplicates', 'feed_down'];
/** What packets say of a gap or a seam before them. */
const MARKED = /"(?:book_gap|trade_gap|feed_reconnected|recording_seam|late_events)"/;

/** A log of which bundles are made. */
interface NamedLog {
  readonly name: string;
  readonly symbol: string;
  readonly events: Iterable<MarketEvent>;
}

/** Who signs the packets of a suite. */
export interface Maker {
  readonly key: SigningKey;
  readonly published: NonNullable<PageRequest['keys']>[number];
  sign(packetDigest: string): string;
}

/** A maker with a key of its own. */
export function newMaker(): Maker {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = signingKeyOf(publicKeyBytesOf(publicKey));
  const x = Buffer.from(key.publicKeyBytes).toString('base64url');
  return { key, published: { kid: key.keyId, x }, sign: (digest) => signatureOf(digest, privateKey) };
}

function signatureOf(digest: string, privateKey: KeyObject): string {
  return sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64');
}

/** Recorded logs with their seams, and simulated ones, each with faults of one kind; of few packets one of both. */
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

/** Bundles of a log with so many packets in all: those with gaps and seams first, then from its beginning. */
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

/** The lines as the route serves them. */
export function packed(lines: readonly string[]): Uint8Array {
  return gzipSync(lines.join('\n'));
}
