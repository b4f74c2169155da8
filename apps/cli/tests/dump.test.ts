import { generateKeyPairSync, sign } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkpointOf,
  checkpointLine,
  createState,
  loadPolicy,
  packetRowOf,
  readPacketRow,
  reduce,
  retainedPacketOf,
  signingKeyLine,
  signingKeyOfPem,
  type CheckpointLine,
  type RetainedPacket,
  type Span,
  type SymbolSource,
} from '@market-state/labeler';
import { eventOfRow, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import { dumpSymbol, type Dumped } from '../src/commands/dump';
import { rowsOf } from './labelled';
import { createWorkplace, FEW_ROWS, firstRows } from './run';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = signingKeyOfPem(publicKey.export({ format: 'pem', type: 'spki' }).toString());
const place = createWorkplace();
let rows: readonly string[] = [];
let events: readonly MarketEvent[] = [];
/** Packets in the form a running system returns: signed, without closing ordinals and previous lineage digests. */
let packets: readonly RetainedPacket[] = [];
let closingOrdinals: readonly number[] = [];
/** After the third packet, and after the last but one. */
let checkpoints: readonly CheckpointLine[] = [];

beforeAll(async () => {
  rows = await firstRows(FEW_ROWS);
  events = rows.map((row) => eventOfRow(JSON.parse(row)));
  place.write('rows.ndjson', rows.join('\n'));
  const made = (await place.run('label', 'rows.ndjson')).lines.map((line) => readPacketRow(JSON.parse(line)));
  closingOrdinals = made.map(({ closing_ordinal: ordinal }) => ordinal ?? Number.NaN);
  packets = made.map((row) => {
    const signature = sign(null, Buffer.from(row.packet_digest, 'hex'), privateKey).toString('base64');
    return { ...retainedPacketOf({ ...row, signature, signing_key_id: key.keyId }), previousLineageDigest: null, closingOrdinal: null };
  });
  checkpoints = [2, made.length - 2].map(checkpointAt);
});
afterAll(() => place.remove());

function checkpointAt(index: number): CheckpointLine {
  const state = createState('BTCUSD-PERP', loadPolicy());
  for (const event of events.slice(0, closingOrdinals[index])) reduce(state, event);
  return checkpointOf(state, windowEnd(index));
}

function windowEnd(index: number): number {
  return packets.at(index)?.windowEndMs ?? Number.NaN;
}

/** A source with the given events and packets. */
function keeping(
  span: Partial<Span>,
  kept: { readonly events?: readonly MarketEvent[]; readonly packets?: readonly RetainedPacket[] } = {},
): SymbolSource {
  return {
    symbol: 'BTCUSD-PERP',
    span: { fromMs: windowEnd(0), toMs: windowEnd(-1) + WINDOW_MS, ...span },
    newestRetainedMs: windowEnd(-1),
    awaitingMax: 6,
    altered: [],
    checkpoints,
    reaches: () => true,
    stateGzip: (checkpoint) =>
      Promise.resolve(Buffer.from(checkpoints.find(({ ordinal }) => ordinal === checkpoint.ordinal)?.state ?? '', 'base64')),
    packets: ({ fromMs, toMs }) =>
      inTurn((kept.packets ?? packets).filter(({ windowEndMs }) => windowEndMs >= fromMs && windowEndMs < toMs)),
    entries: (afterOrdinal) => inTurn([(kept.events ?? events).filter(({ ordinal }) => ordinal > afterOrdinal)]),
  };
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Dumps into `dump.ndjson`, the key first. */
async function dumped(source: SymbolSource): Promise<{ readonly lines: readonly string[]; readonly reported: Dumped | null }> {
  const lines: string[] = [signingKeyLine(key)];
  const write = (...more: readonly string[]): Promise<boolean> => {
    lines.push(...more);
    return Promise.resolve(true);
  };
  const reported = await dumpSymbol(
    source,
    { policy: loadPolicy(), onProgress: () => undefined },
    { write, handOn: () => undefined, isStyled: false },
  );
  place.write('dump.ndjson', lines.join('\n'));
  return { lines, reported };
}

function ordinalsOf(lines: readonly string[]): readonly number[] {
  const read = lines.map((line) => JSON.parse(line) as { readonly schema: string; readonly ordinal: number });
  return read.filter(({ schema }) => schema === 'market_state_row.v1').map(({ ordinal }) => ordinal);
}

test('from the first packet on: the whole log up to the entry that closes the last window, and verify finds all of it equal and signed', async () => {
  const { lines, reported } = await dumped(keeping({}));
  const entryTotal = closingOrdinals.at(-1);
  expect(reported).toEqual({ entryTotal, packetTotal: packets.length, checkpointTotal: 2, awaitingTotal: 0, otherChainUntilMs: null });
  expect(lines.slice(1, 1 + (entryTotal ?? 0))).toEqual(rows.slice(0, entryTotal));
  expect(lines).toContain(checkpointLine(checkpoints[0] as CheckpointLine));
  const { exitCode, stdout } = await place.run('verify', 'dump.ndjson');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`${packets.length} compared: ${packets.length} equal`);
  expect(stdout).toContain('2 reproduced');
  expect(stdout).toContain(`${packets.length} valid`);
});

test('a market of another venue: label makes its packets from the rows, and verify finds them equal', async () => {
  const market = 'BTCUSD-PERP@okx';
  const log = events.map((event) => ({ ...event, symbol: market, venue: 'okx' }));
  const state = createState(market, loadPolicy());
  const made = log.flatMap((event) => reduce(state, event)).map((result) => retainedPacketOf(packetRowOf(result)));
  const source = keeping({}, { events: log, packets: made });
  const { lines } = await dumped({ ...source, symbol: market, checkpoints: [] });
  expect(lines.filter((line) => line.includes(`"market":"${market}"`))).toHaveLength(made.length);
  expect((await place.run('verify', 'dump.ndjson')).stdout).toContain(`${made.length} compared: ${made.length} equal`);
  const labelled = rowsOf(await place.run('label', 'dump.ndjson', '--symbol', market));
  expect(labelled.map((row) => [row.packet_id, row.packet_digest, row.lineage_digest])).toEqual(
    made.map(({ packetId, packetDigest, lineageDigest }) => [packetId, packetDigest, lineageDigest]),
  );
});

test('a later span begins at the checkpoint before it', async () => {
  const { lines, reported } = await dumped(keeping({ fromMs: windowEnd(4) }));
  expect(reported).toMatchObject({ packetTotal: packets.length - 4, checkpointTotal: 2 });
  expect(lines[1]).toBe(checkpointLine(checkpoints[0] as CheckpointLine));
  expect(ordinalsOf(lines)[0]).toBe((closingOrdinals[2] ?? 0) + 1);
  const { exitCode, stdout } = await place.run('verify', 'dump.ndjson');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`${packets.length - 4} compared: ${packets.length - 4} equal`);
  expect(stdout).toContain('1 reproduced');
});

test('a span that ends before the newest packet goes on to the checkpoint that closes it', async () => {
  const { lines, reported } = await dumped(keeping({ toMs: windowEnd(4) }));
  expect(reported).toMatchObject({ packetTotal: 4, checkpointTotal: 2 });
  expect(ordinalsOf(lines).at(-1)).toBe(closingOrdinals.at(-2));
  const { exitCode, stdout } = await place.run('verify', 'dump.ndjson');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('4 compared: 4 equal');
  expect(stdout).toContain('2 reproduced');
});

test('packets whose entries are not recorded yet are omitted, and their number is reported', async () => {
  const { reported } = await dumped(keeping({}, { events: events.slice(0, (closingOrdinals[4] ?? 0) + 1) }));
  expect(reported).toMatchObject({ packetTotal: 5, checkpointTotal: 1, awaitingTotal: packets.length - 5 });
  expect((await place.run('verify', 'dump.ndjson')).exitCode).toBe(0);
});

test('what is kept is written as it is kept: an altered packet is found in the file', async () => {
  const altered = packets.with(4, { ...(packets[4] as RetainedPacket), headline: 'Another one.' });
  await dumped(keeping({}, { packets: altered }));
  const { exitCode, stdout } = await place.run('verify', 'dump.ndjson');
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`First difference: the window ending at ${new Date(windowEnd(4)).toISOString().replace('.000Z', 'Z')}`);
});

test.each([
  ['not in canonical form', { readBody: () => Promise.resolve('{"packet_type": "market_state.v1"}') }, 'its body is not RFC 8785 JSON'],
  [
    'without the lineage before it',
    { readBody: () => Promise.resolve('{"packet_type":"market_state.v1"}') },
    'previous_lineage_digest is missing',
  ],
  ['of no known source', { sourceKind: 'unspecified' }, 'source_kind must be one of live, recorded, simulated'],
])('a packet %s that no line can hold is refused by name', async (_what, change, sentence) => {
  const altered = packets.with(1, { ...(packets[1] as RetainedPacket), ...change });
  await expect(dumped(keeping({}, { packets: altered }))).rejects.toMatchObject({
    exitCode: 3,
    lines: [expect.stringContaining(sentence), expect.anything()],
  });
  await expect(dumped(keeping({}, { packets: altered }))).rejects.toThrow(packets[1]?.packetId);
});

test('without a running system there is nothing to dump, and files to read are refused', async () => {
  const none = await place.run('dump', '--out', 'none.ndjson');
  expect(none.exitCode).toBe(3);
  expect(none.stderr).toContain('No system runs');
  const file = await place.run('dump', 'rows.ndjson', '--from', '2', '--to', '1');
  expect(file.exitCode).toBe(2);
  expect(file.stderr).toContain('dump takes no files: rows.ndjson');
  expect(file.stderr).toContain('--to must be after --from');
});

test('a name that ends in .gz makes the output gzip, of the same lines', async () => {
  expect((await place.run('rows', 'rows.ndjson', '--out', 'rows.ndjson.gz')).exitCode).toBe(0);
  const packed = readFileSync(join(place.folder, 'rows.ndjson.gz'));
  expect(gunzipSync(packed).toString('utf8')).toBe(`${rows.join('\n')}\n`);
  expect(packed.length).toBeLessThan(2 * gzipSync(rows.join('\n')).length);
});
