import { generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { packetRowLine, packetRowOf, readPacketRow, signingKeyOf } from '../src/packet-row/lines';
import { publicKeyBytesOf } from '../src/ed25519/key-object';
import { parseReplayCursor } from '../src/packet/guidance';
import { checkBundle } from '../src/recompute';
import { bundleLines } from '../src/verify/bundle';
import { bundlesOfLog, type LogBundle } from '../src/packet-row/bundles-of-log';
import { createState } from '../src/index';
import { indexFiles, fileSource } from '../src/verify/file-source';
import { verifySymbol } from '../src/verify/verify-symbol';
import { labelLog, POLICY } from './label-log';
import { recordingEvents } from './recording-events';

const symbol = 'BTCUSD-PERP';
const market = 'BTCUSD-PERP@okx';
const primaryLog = recordingEvents(symbol);
/** The same log at another venue. */
const otherLog = primaryLog.map((event) => ({ ...event, symbol: market, venue: 'okx' }));

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = signingKeyOf(publicKeyBytesOf(publicKey));
const signed = (digest: string): string => sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64');

function secondBundle(of: string, log: typeof primaryLog): LogBundle {
  const bundles = bundlesOfLog(log, { symbol: of, policy: POLICY, packetTotal: 5, key, sign: signed });
  bundles.next();
  return bundles.next().value as LogBundle;
}

/** Can be read more than once, like a file. */
function batchesOf(lines: readonly string[]): AsyncIterable<readonly string[]> {
  return {
    async *[Symbol.asyncIterator]() {
      yield lines;
    },
  };
}

const other = secondBundle(market, otherLog);
const primary = secondBundle(symbol, primaryLog);

test("a packet has the market's symbol and venue; its ids, cursor and links name the market", () => {
  const [first] = labelLog(otherLog, createState(market, POLICY));
  const packet = first?.packet;
  expect(first?.symbol).toBe(market);
  expect(packet).toMatchObject({ symbol, scope: { symbol, venue: 'okx' } });
  expect(parseReplayCursor(packet?.replay.cursor ?? '')).toEqual({ market, windowEndMs: first?.windowEndMs });
  for (const route of Object.values(packet?.route_refs ?? {}))
    if (route.includes('symbol=')) expect(new URLSearchParams(route.split('?')[1]).get('symbol')).toBe(market);
  expect(packet?.client_readout.headline).toContain(`${symbol}: `);
  const [theirs] = labelLog(primaryLog.map((event) => ({ ...event, venue: 'okx' })));
  expect([theirs?.windowEndMs, theirs?.packet.state]).toEqual([first?.windowEndMs, packet?.state]);
  expect(theirs?.packetId).not.toBe(first?.packetId);
});

test('lines name the market only away from the primary venue, and read back as written', () => {
  for (const { packets, lines } of [other, primary]) {
    for (const row of packets) expect(readPacketRow(JSON.parse(packetRowLine(row)))).toEqual(row);
    expect(lines.filter((line) => line.includes(`"market":"${market}"`))).toHaveLength(lines === other.lines ? 6 : 0);
    for (const line of lines) expect((JSON.parse(line) as { symbol?: string }).symbol ?? symbol).toBe(symbol);
  }
});

test('a bundle of a market holds', async () => {
  const bundle = await bundleLines(Uint8Array.from(gzipSync(other.lines.join('\n'))));
  const check = await checkBundle({ bundle, policyFiles: POLICY.files, keys: new Map([[key.keyId, key]]) });
  expect(check).toMatchObject({ holds: true, packetTotal: 5, firstDifference: null, packet: { symbol: market } });
});

test('files that hold both venues of a symbol are verified for each', async () => {
  const lines = [...primary.lines, ...other.lines];
  const file = { name: 'both', lines: batchesOf(lines) };
  const index = await indexFiles([file], () => undefined);
  expect([...index.packets.keys()]).toEqual([symbol, market]);
  for (const each of [symbol, market]) {
    const { result } = await verifySymbol(fileSource(index, each, {}), {
      policy: POLICY,
      keys: new Map([[key.keyId, key]]),
      onProgress: () => undefined,
    });
    expect(result?.packets).toMatchObject({ equal: 5 });
  }
});

test('rows of packets made at the primary venue keep their bytes', () => {
  const [first] = labelLog(primaryLog);
  expect(first && packetRowLine(packetRowOf(first))).not.toContain('"market":"');
});
