import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import type { MarketEvent } from '@market-state/market-data';
import { checkpointOf, loadPolicy, type PacketResult, publicKeyBytesOf } from '../../src/index';
import { chainOf } from '../label-log';
import { anyCharacter } from '../properties/cases';
import { recordingEvents } from '../recording-events';
import { recordingPackets } from '../recording-packets';
import { type BrowserBuild, browserBuild, type Build } from './browser-build';
import { build as node } from './entry';

const SYMBOL = 'BTCUSD-PERP';
/** Some packets of a recording, and the log that makes them: `both-builds.verify.ts` has all of it. */
const packets = recordingPackets(SYMBOL).slice(0, 26);
const events = upTo(packets.at(-1));
const half = upTo(packets[12]).length;

function upTo(packet: PacketResult | undefined): readonly MarketEvent[] {
  const log = recordingEvents(SYMBOL);
  return log.slice(0, log.findIndex(({ ordinal }) => ordinal === packet?.closingOrdinal) + 1);
}

let browser: BrowserBuild;
beforeAll(async () => {
  browser = await browserBuild();
});

it('a browser gets nothing of Node, and no code that makes code', () => {
  expect(browser.text).not.toMatch(/\bBuffer\b|\bnew Function\b|\beval\(|\bprocess\.|from "(?:node:)?[a-z_]+"/);
  expect(Object.keys(browser.inputs).filter((file) => /node_modules.ajv|node\.ts$/.test(file))).toEqual([]);
});

describe.each<[string, () => Build]>([
  ['node', () => node],
  ['browsers', () => browser.labeler],
])('the build for %s', (_name, build) => {
  const labelled = (log: readonly MarketEvent[], state = build().createState(SYMBOL, build().loadPolicy())): PacketResult[] =>
    log.flatMap((event) => build().reduce(state, event));

  it('makes the packets of a recording, byte for byte', () => {
    const made = labelled(events);
    expect(chainOf(made)).toEqual(chainOf(packets));
    expect(made.map(({ body }) => body)).toEqual(packets.map(({ body }) => body));
  });

  it('goes on from the state that the other build wrote, and writes the same', async () => {
    const { createState, restoreState, serializeState, stateOfKeptCheckpoint } = build();
    const state = node.createState(SYMBOL, loadPolicy());
    for (const event of events.slice(0, half)) node.reduce(state, event);
    const own = createState(SYMBOL, build().loadPolicy());
    labelled(events.slice(0, half), own);
    expect(Buffer.compare(serializeState(own), node.serializeState(state))).toBe(0);
    const restored = restoreState(node.serializeState(state), build().loadPolicy());
    expect(chainOf(labelled(events.slice(half), restored))).toEqual(chainOf(packets.slice(13)));
    const checkpoint = checkpointOf(state, packets[12]?.windowEndMs ?? 0);
    const kept = await stateOfKeptCheckpoint(checkpoint, Buffer.from(checkpoint.state, 'base64'), build().loadPolicy());
    expect(typeof kept === 'string' ? kept : kept.log.ordinal).toBe(state.log.ordinal);
  });

  it('finds packets, chain and signatures equal, and a changed row different', async () => {
    const { createState, eventOfRow, packetRowLine, packetRowOf, readPacketRow, rederive, retainedPacketOf, rowLine, verdictOf } = build();
    const { readSigningKeyLine, signingKeyLine, signingKeyOf } = build();
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = readSigningKeyLine(JSON.parse(signingKeyLine(signingKeyOf(publicKeyBytesOf(publicKey)))));
    const rows = packets.slice(0, 12).map((packet) => {
      const signature = sign(null, Buffer.from(packet.packetDigest, 'hex'), privateKey).toString('base64');
      return readPacketRow(JSON.parse(packetRowLine(packetRowOf(packet, { signature, signingKeyId: key.keyId }))));
    });
    const verify = async (log: readonly MarketEvent[]) => {
      const toMs = (rows.at(-1)?.window_end_ms ?? 0) + 1;
      const result = await rederive({
        state: createState(SYMBOL, build().loadPolicy()),
        entries: inTurn([log.map((event) => eventOfRow(JSON.parse(rowLine(event))))]),
        packets: inTurn(rows.map((row) => retainedPacketOf(row))),
        newestRetainedMs: toMs,
        checkpoints: [],
        fromMs: 0,
        toMs,
        keys: new Map([[key.keyId, key]]),
      });
      return { signatures: result.signatures, verdict: verdictOf(result, { mustBeSigned: true, awaitingMax: 0 }) };
    };
    expect(await verify(events.slice(0, half))).toMatchObject({ verdict: 'equal', signatures: { valid: 12 } });
    const at = events.findIndex(({ kind, exchangeTsMs }) => kind === 'trade' && exchangeTsMs > (rows[2]?.window_end_ms ?? 0));
    const changed = events.slice(0, half).with(at, { ...(events[at] as MarketEvent & { kind: 'trade' }), price: '60000.1' });
    expect((await verify(changed)).verdict).toBe('different');
  });

  it('writes, reads, names and orders events alike, whatever is in their texts', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 });
    fc.assert(
      fc.property(text, text, fc.nat(), (one, other, index) => {
        const { compareVenueIds, decodeEvent, encodeEvent, gapIdOf, identityOf } = build();
        const event = { ...(events[index % events.length] as MarketEvent), venue: one, venueId: other };
        const bytes = encodeEvent(event);
        expect(Buffer.compare(bytes, node.encodeEvent(event))).toBe(0);
        expect(decodeEvent(bytes)).toEqual(event);
        expect(Math.sign(compareVenueIds(one, other))).toBe(Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other))));
        expect(identityOf({ ...event, venueId: '' })).toBe(node.identityOf({ ...event, venueId: '' }));
        const gap = { venue: one, symbol: other, pass: 1, reason: 'sequence_gap', startMs: 5, lastVenueId: one } as const;
        expect(gapIdOf(gap)).toBe(node.gapIdOf(gap));
      }),
      { numRuns: 100 },
    );
  });

  it('cuts bytes into the same lines', async () => {
    const bytes = Buffer.from('\ufeff{"a":"é€😀"}\r\n\n{"b":1}');
    for (let at = 0; at <= bytes.length; at++) {
      const lines: string[] = [];
      for await (const batch of build().recordingLineBatches(inTurn([bytes.subarray(0, at), bytes.subarray(at)]))) lines.push(...batch);
      expect(lines).toEqual(['{"a":"é€😀"}', '', '{"b":1}']);
    }
  });
});

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
