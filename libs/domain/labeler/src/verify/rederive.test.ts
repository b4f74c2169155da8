import { generateKeyPairSync, sign } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import fc from 'fast-check';
import { labelLog, POLICY } from '../../tests/label-log';
import { RUNS } from '../../tests/properties/cases';
import { recordingEvents } from '../../tests/recording-events';
import { checkpointOf } from '../packet-row/bundles-of-log';
import { type CheckpointLine, packetRowOf, type PacketRow } from '../packet-row/lines';
import { signingKeyOfPem } from '../ed25519/key-object';
import { createState } from '../reducer/labeler-state';
import { reduce } from '../reducer/reduce';
import { rederive, verdictOf, type RederiveInput } from './rederive';
import { retainedPacketOf } from './symbol-source';
import { stateOfCheckpoint } from './verify-symbol';

/** Each changes one thing and derives the whole log again. */
const CHANGES = Math.ceil(0.2 * RUNS.numRuns);
const WHOLE = { mustBeSigned: false, awaitingMax: 0 };
const SYMBOL = 'ETHUSD-PERP';
const events = recordingEvents(SYMBOL).slice(0, 2_400);
const rows = labelLog(events, createState(SYMBOL, POLICY)).map((result) => packetRowOf(result));
const newestRetainedMs = rows.at(-1)?.window_end_ms ?? 0;
const firstMs = rows[0]?.window_end_ms ?? 0;

async function* inBatches<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item;
}

function verify(log: readonly MarketEvent[], kept: readonly PacketRow[], changed: Partial<RederiveInput> = {}, batchSize = 500) {
  return rederive({
    state: createState(SYMBOL, POLICY),
    entries: inBatches(log, batchSize),
    packets: inTurn(kept.map((row) => retainedPacketOf(row))),
    newestRetainedMs,
    checkpoints: [],
    fromMs: 0,
    toMs: Number.MAX_SAFE_INTEGER,
    keys: null,
    ...changed,
  });
}

/** Every checkpoint after the packet of one of these windows. */
function checkpointsAt(windowEnds: readonly number[]): readonly CheckpointLine[] {
  const state = createState(SYMBOL, POLICY);
  return events.flatMap((event) =>
    reduce(state, event)
      .filter(({ windowEndMs }) => windowEnds.includes(windowEndMs))
      .map(({ windowEndMs }) => checkpointOf(state, windowEndMs)),
  );
}

function replaced<T>(items: readonly T[], index: number, item: T): readonly T[] {
  return items.map((kept, at) => (at === index ? item : kept));
}

test('the log gives every retained packet again, in batches of any size', async () => {
  for (const size of [1, 7, 1_000, 10_000]) {
    const result = await verify(events, rows, {}, size);
    expect(result.packets).toMatchObject({ compared: rows.length, equal: rows.length, different: 0, missing: 0, extra: 0, first: null });
    expect(result.entries).toMatchObject({ total: events.length, firstOrdinal: 1, lastOrdinal: events.length, holes: [] });
    expect(verdictOf(result, WHOLE)).toBe('equal');
  }
});

test('one number of one event changed by one unit: the window that holds the event is the first that differs', async () => {
  const changeable = events.flatMap((event, index) =>
    (event.kind === 'trade' || event.kind === 'book') && event.exchangeTsMs > firstMs ? [index] : [],
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changeable), async (index) => {
      const event = events[index] as MarketEvent;
      const result = await verify(replaced(events, index, oneUnitMore(event)), rows);
      const windowEndMs = Math.ceil(event.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
      fc.pre(windowEndMs <= newestRetainedMs);
      expect(verdictOf(result, WHOLE)).toBe('different');
      expect(result.packets.first).toMatchObject({ kind: 'different', windowEndMs });
    }),
    { numRuns: CHANGES },
  );
});

test('one field of one retained row changed: that packet alone differs, by the name of the field', async () => {
  const fields = [
    'packet_digest',
    'lineage_digest',
    'input_digest',
    'previous_lineage_digest',
    'packet_id',
    'event_id',
    'headline',
    'closing_ordinal',
  ] as const;
  await fc.assert(
    fc.asyncProperty(fc.nat(rows.length - 1), fc.constantFrom(...fields), async (index, field) => {
      const row = rows[index] as PacketRow;
      const value =
        field === 'closing_ordinal' ? (row.closing_ordinal ?? 0) + 1 : row[field].replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      const { packets } = await verify(events, replaced(rows, index, { ...row, [field]: value }));
      expect(packets).toMatchObject({ different: 1, equal: rows.length - 1 });
      expect(packets.first).toMatchObject({ kind: 'different', windowEndMs: row.window_end_ms });
      expect(packets.first?.kind === 'different' && packets.first.fields.map((difference) => difference.field)).toContain(field);
    }),
    { numRuns: CHANGES },
  );
});

test('a body that was changed under its old digest is found, with the place and both values', async () => {
  const row = rows[3] as PacketRow;
  const { packets } = await verify(events, replaced(rows, 3, { ...row, packet: { ...row.packet, novelty_score: 0.123456 } }));
  expect(packets).toMatchObject({ different: 1, equal: rows.length - 1 });
  expect(packets.first).toMatchObject({
    fields: [{ field: 'body_digest', rederived: row.packet_digest }],
    body: { total: 1, first: [{ path: '/novelty_score', retained: 0.123456, rederived: row.packet.novelty_score }] },
  });
});

test('an entry that is gone is named, and so is the first packet that misses it', async () => {
  const index = events.findIndex((event) => event.kind === 'trade' && event.exchangeTsMs > firstMs + 2 * WINDOW_MS);
  const gone = events[index] as MarketEvent;
  const result = await verify(events.toSpliced(index, 1), rows);
  expect(result.entries.holes).toEqual([{ firstOrdinal: gone.ordinal, lastOrdinal: gone.ordinal, newEpoch: false }]);
  expect(result.packets.first?.windowEndMs).toBe(Math.ceil(gone.exchangeTsMs / WINDOW_MS) * WINDOW_MS);
});

test('a tick that is gone changes no packet and is still a difference; after a lost log it is not', async () => {
  const index = events.findIndex((event, at) => at > 500 && event.kind === 'tick' && event.feedClockMs % 10_000 === 5_000);
  const holed = events.toSpliced(index, 1);
  const result = await verify(holed, rows);
  expect(result.packets).toMatchObject({ equal: rows.length });
  expect(verdictOf(result, WHOLE)).toBe('different');
  const newEpoch = holed.map((event, at) => (at < index ? event : { ...event, epoch: 2 }));
  expect(verdictOf(await verify(newEpoch, rows), WHOLE)).toBe('equal');
});

test('a packet that is gone is missing, one that the log does not give is extra', async () => {
  const missing = await verify(events, rows.toSpliced(4, 1));
  expect(missing.packets).toMatchObject({
    missing: 1,
    equal: rows.length - 1,
    first: { kind: 'missing', windowEndMs: rows[4]?.window_end_ms },
  });
  const newestGone = await verify(events, rows.slice(0, -1));
  expect(newestGone.packets).toMatchObject({ missing: 1, first: { kind: 'missing', windowEndMs: newestRetainedMs } });
  const other = { ...(rows[5] as PacketRow), window_end_ms: (rows[5]?.window_end_ms ?? 0) + 5_000 };
  const extra = await verify(events, rows.toSpliced(6, 0, other));
  expect(extra.packets).toMatchObject({ extra: 1, equal: rows.length, first: { kind: 'extra', windowEndMs: other.window_end_ms } });
});

test('packets whose entries are not there leave the span open; windows after the newest packet are ahead of it', async () => {
  const short = await verify(events.slice(0, -800), rows);
  expect(short.packets.awaiting).toBeGreaterThan(0);
  expect(short.packets.awaiting + short.packets.equal).toBe(rows.length);
  expect(verdictOf(short, WHOLE)).toBe('incomplete');
  expect(verdictOf(short, { ...WHOLE, awaitingMax: short.packets.awaiting })).toBe('equal');
  const kept = rows.slice(0, -2);
  const ahead = await verify(events, kept, { newestRetainedMs: kept.at(-1)?.window_end_ms ?? 0 });
  expect(ahead.packets).toMatchObject({ ahead: 2, missing: 0, equal: kept.length });
});

test('re-derivation from a checkpoint gives the packets after it and the checkpoint that closes the span', async () => {
  const [startMs = 0, closingMs = 0] = [rows[2]?.window_end_ms, rows[7]?.window_end_ms];
  const [start, closing] = checkpointsAt([startMs, closingMs]) as [CheckpointLine, CheckpointLine];
  const span = { fromMs: startMs + WINDOW_MS, toMs: closingMs + WINDOW_MS };
  const kept = rows.filter((row) => row.window_end_ms >= span.fromMs && row.window_end_ms < span.toMs);
  const from = () => ({ state: stateOfCheckpoint(start, gunzipSync(Buffer.from(start.state, 'base64')), POLICY), ...span });
  const log = events.filter(({ ordinal }) => ordinal > start.ordinal);

  const result = await verify(log, kept, { ...from(), checkpoints: [closing] });
  expect(result).toMatchObject({
    afterOrdinal: start.ordinal,
    packets: { equal: kept.length },
    checkpoints: { equal: 1, different: [], awaiting: 0 },
  });
  expect(result.entries.total).toBeLessThan(log.length);

  const wrong = await verify(log, kept, { ...from(), checkpoints: [{ ...closing, state_digest: 'c'.repeat(64) }] });
  expect(wrong.checkpoints.different).toMatchObject([
    { windowEndMs: closingMs, fields: [{ field: 'state_digest', rederived: closing.state_digest }] },
  ]);
  expect(verdictOf(wrong, WHOLE)).toBe('different');
});

test('packets of another policy are not compared, and say that the span was not proved', async () => {
  const other = rows.map((row) => ({ ...row, policy_digest: 'd'.repeat(64) }));
  const result = await verify(events, other);
  expect(result.packets).toMatchObject({ otherPolicy: rows.length, compared: 0 });
  expect(verdictOf(result, WHOLE)).toBe('incomplete');
});

test('signatures are checked by the keys given', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = signingKeyOfPem(publicKey.export({ format: 'pem', type: 'spki' }).toString());
  const signed = rows.map((row) => ({
    ...row,
    signature: sign(null, Buffer.from(row.packet_digest, 'hex'), privateKey).toString('base64'),
    signing_key_id: key.keyId,
  }));
  const keys = new Map([[key.keyId, key]]);
  expect((await verify(events, signed, { keys })).signatures).toMatchObject({ valid: rows.length, invalid: 0, unknownKey: 0, unsigned: 0 });
  const swapped = replaced(signed, 1, { ...(signed[1] as PacketRow), signature: signed[2]?.signature ?? null });
  const wrong = await verify(events, swapped, { keys });
  expect(wrong.signatures).toMatchObject({ invalid: 1, firstFaultMs: rows[1]?.window_end_ms });
  expect(verdictOf(wrong, WHOLE)).toBe('different');
  expect((await verify(events, signed, { keys: new Map() })).signatures).toMatchObject({ unknownKey: rows.length });
  expect((await verify(events, rows, { keys })).signatures).toMatchObject({ unsigned: rows.length });
});

function oneUnitMore(event: MarketEvent): MarketEvent {
  if (event.kind === 'trade') return { ...event, size: nextDecimal(event.size) };
  if (event.kind !== 'book') throw new Error(`no number to change in a ${event.kind}`);
  return { ...event, bids: event.bids.map((level, index) => (index === 0 ? { ...level, size: nextDecimal(level.size) } : level)) };
}

/** One unit in the last digit: 1.29 → 1.3, without its trailing zero. */
function nextDecimal(text: string): string {
  const [, decimals = ''] = text.split('.');
  const units = BigInt(text.replace('.', '')) + 1n;
  const digits = units.toString().padStart(decimals.length + 1, '0');
  if (decimals === '') return digits;
  return `${digits.slice(0, -decimals.length)}.${digits.slice(-decimals.length)}`.replace(/\.?0+$/, '');
}
