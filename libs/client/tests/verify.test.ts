import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { canonicalJson, checkChain, checkPacket, type PacketRow, type PublicKey } from '../src/verify';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
/** 26 characters of five bits each, by arithmetic on the whole number. */
const crockford = (bytes: Buffer): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: 26 }, (_none, at) => CROCKFORD[Number.parseInt(bits.slice(5 * at, 5 * at + 5), 2)]).join('');
};

const x = publicKey.export({ format: 'jwk' }).x as string;
const KEY: PublicKey = {
  kid: `key_${crockford(sha256(Buffer.from(x, 'base64url')))}`,
  x,
  valid_from_utc: '2026-01-01T00:00:00.000Z',
  valid_to_utc: '2026-02-01T00:00:00.000Z',
};

/** A row whose packet is chained to the one before. */
function rowAfter(
  previous: { readonly lineage_digest: string } | null,
  windowEndMs: number,
  market = 'A',
): PacketRow & { readonly lineage_digest: string } {
  const ts = new Date(windowEndMs).toISOString();
  const digests = { policy_digest: 'aa', input_digest: 'bb', previous_lineage_digest: previous?.lineage_digest ?? '0'.repeat(64) };
  const identity = crockford(sha256(JSON.stringify([market, windowEndMs, 'aa', 'bb', digests.previous_lineage_digest])));
  const ids = { packet_id: `pkt_${identity}`, event_id: `evt_${identity}` };
  const replay = { cursor: `rc1.${market}.${windowEndMs}`, status: 'ready' };
  const packet = { symbol: 'A', ts, replay, ...ids, ...digests, score: 1e21, small: 1e-7, none: null };
  const digest = sha256(canonicalJson(packet));
  return {
    packet,
    ...ids,
    packet_generated_at_utc: ts,
    packet_digest: digest.toString('hex'),
    lineage_digest: sha256(Buffer.concat([Buffer.from(digests.previous_lineage_digest, 'hex'), digest])).toString('hex'),
    signature: sign(null, digest, privateKey).toString('base64'),
    signing_key_id: KEY.kid,
  };
}

const AT = Date.parse('2026-01-15T00:00:00.000Z');
const first = rowAfter(null, AT);
const second = rowAfter(first, AT + 10_000);
const third = rowAfter(second, AT + 20_000);

test('the ids of a packet of another venue name its market', async () => {
  const row = rowAfter(null, AT, 'A@okx');
  expect(await checkPacket(row, [KEY])).toMatchObject({ ok: true, id: true });
  const moved = { ...row, packet: { ...row.packet, replay: first.packet['replay' as never] } };
  expect(await checkPacket(moved, [KEY])).toMatchObject({ ok: false, id: false });
});

test('writes JSON as RFC 8785 does', () => {
  const value = { '\u20ac': 'Euro Sign', '\r': 'CR', '\ufb33': 'Hebrew', '1': 'One', '\u{1f600}': 'Smiley', '\u0080': 'Control', ö: 'o' };
  expect(canonicalJson(value)).toBe(
    '{"\\r":"CR","1":"One","\u0080":"Control","ö":"o","\u20ac":"Euro Sign","\u{1f600}":"Smiley","\ufb33":"Hebrew"}',
  );
  expect(canonicalJson([333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0, '€$\u000f\nA\'B"\\\\"/'])).toBe(
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"]',
  );
  expect(canonicalJson({ b: undefined, a: [null, true] })).toBe('{"a":[null,true]}');
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined, () => 0, 1n])
    expect(() => canonicalJson([wrong])).toThrow(TypeError);
});

test('finds a packet right that is, and says what it could not check', async () => {
  expect(await checkPacket(first, { keys: [KEY] })).toEqual({
    ok: true,
    packetDigest: first.packet_digest,
    lineageDigest: first.lineage_digest,
    body: true,
    signature: true,
    keyValidity: true,
    id: true,
    faults: [],
  });
  expect(await checkPacket({ packet: first.packet })).toMatchObject({
    ok: false,
    body: null,
    signature: null,
    keyValidity: null,
    id: true,
  });
  expect(await checkPacket({ ...first, signature: null }, [KEY])).toMatchObject({ ok: true, signature: null });
});

test.each<[string, PacketRow, PublicKey, object]>([
  ['a changed body', { ...first, packet: { ...first.packet, score: 2 } }, KEY, { body: false, signature: false, id: true }],
  ['a changed input', { ...first, packet: { ...first.packet, input_digest: 'bc' } }, KEY, { body: false, id: false }],
  ['another event id on the row', { ...first, event_id: second.event_id }, KEY, { body: true, signature: true, id: false }],
  ['a wrong lineage digest', { ...first, lineage_digest: second.lineage_digest }, KEY, { body: false, signature: true }],
  ['the signature of another packet', { ...first, signature: second.signature ?? '' }, KEY, { signature: false, body: true }],
  ['a key that is not known', { ...first, signing_key_id: 'key_other' }, KEY, { signature: false, keyValidity: null }],
  ['a key put in the place of another', first, { ...KEY, x: Buffer.alloc(32, 1).toString('base64url') }, { signature: false }],
  ['a key before its time', first, { ...KEY, valid_from_utc: '2026-01-16T00:00:00.000Z' }, { signature: true, keyValidity: false }],
  ['a key after its time', first, { ...KEY, valid_to_utc: '2026-01-15T00:00:00.000Z' }, { signature: true, keyValidity: false }],
])('finds %s', async (_name, row, key, found) => {
  const check = await checkPacket(row, [key]);
  expect(check).toMatchObject({ ok: false, ...found });
  expect(check.faults.length).toBeGreaterThan(0);
});

test('refuses a row without a whole packet', async () => {
  await expect(checkPacket({ packet: { symbol: 'A' } })).rejects.toThrow('view=packet');
});

test('finds the first break of a chain', async () => {
  expect(await checkChain([first, second, third], [KEY])).toEqual({
    ok: true,
    checkedTotal: 3,
    lineageDigest: third.lineage_digest,
    firstBreak: null,
  });
  expect(await checkChain([first, third])).toMatchObject({
    ok: false,
    checkedTotal: 1,
    lineageDigest: first.lineage_digest,
    firstBreak: { index: 1, eventId: third.event_id, reason: expect.stringContaining('missing') as string },
  });
  const changed = { ...second, packet: { ...second.packet, score: 2 } };
  expect(await checkChain([first, changed, third])).toMatchObject({ ok: false, firstBreak: { index: 1, eventId: second.event_id } });
  expect(await checkChain([])).toEqual({ ok: true, checkedTotal: 0, lineageDigest: null, firstBreak: null });
});
