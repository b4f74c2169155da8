import { gzipSync } from 'node:zlib';
import { readGiven, UnreadableError, keysOf } from './read-given';

const KEY = { kid: 'key_1', x: 'A'.repeat(43), valid_from_utc: '2026-01-01T00:00:00.000Z', valid_to_utc: null };

test('the published list and one key of it are keys', () => {
  expect(keysOf(JSON.stringify({ keys: [KEY] }))).toEqual([KEY]);
  expect(keysOf(JSON.stringify(KEY))).toEqual([KEY]);
});

test('a key without its times counts as used from always', () => {
  expect(keysOf(JSON.stringify({ kid: 'key_1', x: KEY.x }))).toEqual([{ ...KEY, valid_from_utc: '1970-01-01T00:00:00.000Z' }]);
});

test.each(['', 'null', '{}', '[]', '{"kid":"key_1","x":"short"}'])('%j holds no key, and that is said', (text) => {
  expect(() => keysOf(text)).toThrow(UnreadableError);
});

const PACKET = { packet_type: 'market_state.v1', event_id: 'evt_1', symbol: 'BTCUSD-PERP' };
const ROW = '{"schema":"market_state_packet_row.v1","symbol":"BTCUSD-PERP"}';
const OTHER = '{"schema":"market_state_packet_row.v1","symbol":"ETHUSD-PERP"}';

const given = (text: string | Uint8Array<ArrayBuffer>) => readGiven(new Blob([text]));
const packed = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text));
const faultOf = (text: string | Uint8Array<ArrayBuffer>): Promise<string> =>
  given(text).then(
    () => 'it was taken',
    (error: unknown) => {
      if (error instanceof UnreadableError) return error.message;
      throw error;
    },
  );

test.each([
  ['a packet alone', PACKET, {}],
  ['a row', { packet: PACKET, packet_digest: 'd', signature: 's', signing_key_id: 'k' }, { packet_digest: 'd', signature: 's' }],
  ['a workbench', { packet: PACKET, packet_ref: { packet_digest: 'd', signature: null } }, { packet_digest: 'd' }],
  [
    'a share',
    { packet: PACKET, proof: { packet_digest: 'd', signature: { signature: 's', signing_key_id: 'k' } } },
    { packet_digest: 'd', signature: 's', signing_key_id: 'k' },
  ],
  [
    'the newest packet',
    { rows: [{ packet: PACKET }], packet_refs: [{ event_id: 'evt_0' }, { event_id: 'evt_1', packet_digest: 'd' }] },
    { packet_digest: 'd' },
  ],
])('%s is a packet with its digest and signature', async (_what, json, extra) => {
  expect(await given(JSON.stringify(json))).toMatchObject({ kind: 'packets', rows: [{ packet: PACKET, ...extra }] });
});

test.each([
  ['packed', packed(`${ROW}\n${OTHER}\n${ROW}\n`)],
  ['plain', `${ROW}\n${OTHER}\n${ROW}`],
])('a dump is recognized by its lines, %s', async (_form, text) => {
  expect(await given(text)).toMatchObject({ kind: 'dump', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], lineTotal: 3 });
});

test.each([
  ['nothing', '', 'The file is empty.'],
  ['text', 'hello', 'Not a supported format'],
  ['JSON of something else', '{"a":1}', 'This JSON has no full packet'],
  ['a packet in short', '{"rows":[{"symbol":"BTCUSD-PERP","state":"depth_watch"}]}', 'Compact packets (view=compact) cannot be checked'],
  ['a share that has ended', '{"packet":null,"proof":{}}', 'no longer shows its packet'],
  ['half of a file', packed(`${ROW}\n`.repeat(99)).subarray(0, 40), 'damaged or truncated'],
  ['packed text', packed('hello\n'), 'Line 1 is not JSON with a schema'],
  ['a later version', packed(`${ROW}\n{"schema":"market_state_row.v9"}\n`), 'Line 2 has the schema market_state_row.v9'],
  ['keys alone', packed('{"schema":"market_state_signing_key.v1"}\n'), 'no packets to check'],
])('%s is refused with a message', async (_what, text, words) => {
  expect(await faultOf(text)).toContain(words);
});

test('a file beyond the bound is refused before it is read', async () => {
  const file = { size: 80 * 1_048_576 } as Blob;
  await expect(readGiven(file)).rejects.toThrow('The file is 80 MiB; the limit of this page is 64 MiB.');
});
