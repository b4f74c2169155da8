import { generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { POLICY } from '../tests/label-log';
import { recordingEvents } from '../tests/recording-events';
import { publicKeyBytesOf } from './ed25519/key-object';
import { signingKeyOf } from './packet-row/lines';
import { SourceError } from './verify/symbol-source';
import { bundleLines } from './verify/bundle';
import { bundlesOfLog, type LogBundle } from './packet-row/bundles-of-log';
import { type BundleCheck, type BundleInput, checkBundle } from './recompute';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = signingKeyOf(publicKeyBytesOf(publicKey));
const other = signingKeyOf(publicKeyBytesOf(generateKeyPairSync('ed25519').publicKey));
const signed = (digest: string): string => sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64');

const bundles = bundlesOfLog(recordingEvents('BTCUSD-PERP'), { symbol: 'BTCUSD-PERP', policy: POLICY, packetTotal: 5, key, sign: signed });
const first = bundles.next().value as LogBundle;
const second = bundles.next().value as LogBundle;

async function check(lines: readonly string[], input: Partial<BundleInput> = {}): Promise<BundleCheck> {
  const bundle = await bundleLines(Uint8Array.from(gzipSync(lines.join('\n'))));
  return checkBundle({ bundle, policyFiles: POLICY.files, keys: new Map([[key.keyId, key]]), ...input });
}

/** The lines with a part of the first that holds it replaced. */
function changed(lines: readonly string[], part: string, by: string, from = 0): readonly string[] {
  const at = lines.findIndex((line, index) => index >= from && line.includes(part));
  if (at < 0) throw new Error(`no line holds ${part}`);
  return lines.with(at, (lines[at] ?? '').replace(part, by));
}

test.each([
  ["the log's first entry", first, null],
  ['a checkpoint', second, first.packets.at(-1)?.window_end_ms],
])('a bundle from %s on holds: body, maker and derivation of every packet', async (_what, { lines, entries, packets }, checkpointMs) => {
  const holds = { outcome: 'holds', packetTotal: 5 };
  const last = packets.at(-1);
  expect(await check(lines)).toEqual({
    ...{ holds: true, body: holds, maker: holds, derivation: holds, packetTotal: 5, entryTotal: entries.length, checkpointMs },
    packet: {
      symbol: 'BTCUSD-PERP',
      windowEndMs: last?.window_end_ms,
      packetId: last?.packet_id,
      eventId: last?.event_id,
      packetDigest: last?.packet_digest,
    },
    policyDigest: POLICY.digest,
    firstDifference: null,
  });
  const { event_id: eventId } = packets[2] ?? { event_id: '' };
  expect((await check(lines, { eventId })).packet.eventId).toBe(eventId);
});

test('a trade whose price is moved by 0.1 breaks the derivation, and the place in the packet is named', async () => {
  const trade = second.entries.find(({ kind }) => kind === 'trade');
  const [price, ordinal] = trade?.kind === 'trade' ? [trade.price, trade.ordinal] : ['', 0];
  const at = second.lines.findIndex((line) => line.includes(`"ordinal":${ordinal},`));
  const moved = changed(second.lines, `"price":"${price}"`, `"price":"${Number((Number(price) + 0.1).toFixed(1))}"`, at);
  const { holds, body, maker, derivation, firstDifference } = await check(moved);
  expect([holds, body.outcome, maker.outcome, derivation.outcome]).toEqual([false, 'holds', 'holds', 'broken']);
  expect(firstDifference).toMatchObject({ in: 'packet', windowEndMs: second.packets[0]?.window_end_ms });
  expect(firstDifference?.path).toMatch(/^\//);
  expect(firstDifference?.ours).not.toEqual(firstDifference?.theirs);
  expect(firstDifference?.packetDigests?.theirs).toBe(second.packets[0]?.packet_digest);
  expect(firstDifference?.packetDigests?.ours).toMatch(/^[0-9a-f]{64}$/);
  expect(firstDifference?.packetDigests?.ours).not.toBe(firstDifference?.packetDigests?.theirs);
});

test('a changed packet breaks its body and the derivation, and the place is named with both values', async () => {
  const { body, derivation, maker, firstDifference } = await check(changed(first.lines, '"model_assisted":false', '"model_assisted":true'));
  expect([body, derivation.outcome, maker.outcome]).toEqual([{ outcome: 'broken', packetTotal: 4 }, 'broken', 'holds']);
  expect(firstDifference).toMatchObject({ in: 'packet', path: '/model_assisted', ours: false, theirs: true });
});

test('a packet that no published key signed has another maker', async () => {
  const { maker, derivation, firstDifference } = await check(first.lines, { keys: new Map([[other.keyId, other]]) });
  expect([maker.outcome, derivation.outcome, firstDifference?.in]).toEqual(['broken', 'holds', 'signature']);
  const unsigned = first.lines.map((line) =>
    line.replace(/"signature":"[^"]+","signing_key_id":"[^"]+"/, '"signature":null,"signing_key_id":null'),
  );
  expect((await check(unsigned)).maker.outcome).toBe('not_checked');
  const one = changed(first.lines, first.packets[1]?.signature ?? '', first.packets[2]?.signature ?? '');
  expect(await check(one)).toMatchObject({
    maker: { outcome: 'broken', packetTotal: 4 },
    firstDifference: { in: 'signature', packetId: first.packets[1]?.packet_id },
  });
});

test('another policy is found before anything is derived', async () => {
  const policyFiles = { ...POLICY.files, versions: { ...POLICY.files.versions, extra: 1 } };
  const { derivation, entryTotal, policyDigest, firstDifference } = await check(first.lines, { policyFiles });
  expect([derivation.outcome, entryTotal]).toEqual(['broken', 0]);
  expect(firstDifference).toMatchObject({ in: 'policy', path: 'policy_digest', ours: policyDigest, theirs: POLICY.digest });
});

test('entries that are gone, and a checkpoint that is not its own, are named', async () => {
  const at = first.lines.findIndex((line) => line.includes('"kind":"tick"'));
  expect(await check(first.lines.toSpliced(at, 1))).toMatchObject({
    derivation: { outcome: 'broken' },
    firstDifference: { in: 'entries', path: 'ordinal', theirs: null },
  });
  const digest = second.checkpoint?.state_digest ?? '';
  expect(await check(changed(second.lines, digest, 'a'.repeat(64)))).toMatchObject({
    derivation: { outcome: 'broken' },
    firstDifference: { in: 'checkpoint', path: 'state', windowEndMs: second.checkpoint?.window_end_ms },
  });
});

test.each<[string, () => Promise<unknown>, string]>([
  ['no gzip', () => bundleLines(Uint8Array.from(Buffer.from('text'))), 'not gzip'],
  ['cut off', () => bundleLines(Uint8Array.from(gzipSync(first.lines.join('\n'))).slice(0, -9_000)), 'is truncated'],
  ['of no line of ours', () => check(['{"schema":"other"}']), 'bundle:1: the line names schema "other"'],
  ['with a key of another id', () => check(changed(first.lines, key.keyId, other.keyId)), 'bundle:1: key_id does not match the key'],
  ['of several symbols', () => check(changed(first.lines, '"symbol":"BTCUSD-PERP"', '"symbol":"ETHUSD-PERP"')), 'several symbols'],
  ['without packets', () => check(first.lines.slice(0, 3)), 'no packet'],
  ['without the packet asked for', () => check(first.lines, { eventId: `evt_${'0'.repeat(26)}` }), 'does not contain packet evt_'],
  ['that begins in the middle', () => check(second.lines.toSpliced(1, 1)), 'do not start'],
])('a bundle that is %s is refused in words', async (_what, read, sentence) => {
  const refusal = await read().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SourceError);
  expect((refusal as SourceError).message).toContain(sentence);
});
