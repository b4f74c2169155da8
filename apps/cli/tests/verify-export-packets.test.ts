import { generateKeyPairSync, sign } from 'node:crypto';
import { join } from 'node:path';
import { canonicalJson, lineageDigest, sha256Hex, signingKeyOfPem } from '@market-state/labeler';
import { type ExportApi, startExportApi } from './export-api';
import { type Cells, chainOf, dataName, FROM_MS, SYMBOL, writeExport } from './export-folder';
import { createWorkplace } from './run';

const place = createWorkplace({ apiKey: 'good' });
const data = dataName('packets');
const { privateKey } = generateKeyPairSync('ed25519');
const key = signingKeyOfPem(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
const jwk = { kid: key.keyId, kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.publicKeyBytes).toString('base64url') };
let api: ExportApi;
let total = 0;

beforeAll(async () => {
  api = await startExportApi();
  api.served.keys = [jwk];
});
afterAll(() => {
  api.close();
  place.remove();
});

/** The row of a packet whose body, digests and signature belong together, after another. */
function packet(sequence: number, before?: Cells): Cells {
  const previous = before === undefined ? '0'.repeat(64) : String(before['lineage_digest']);
  const ids = { packet_id: `pkt_${sequence}`, event_id: `evt_${sequence}`, input_digest: 'a'.repeat(64), policy_digest: 'b'.repeat(64) };
  const body = canonicalJson({
    ...{ ...ids, symbol: SYMBOL, previous_lineage_digest: previous, state: 'market_state_watch', event_class: 'c', event_profile: 'p' },
    ...{ transition_type: 't', event_severity: { severity_class: 's', score: 0.25 }, novelty_score: 1, contradiction_score: 0 },
    ...{ confidence: { label: 'low', score: 0.1 }, packet_quality: { state_margin: null, gap_flags: [] }, tags: ['one', 'two'] },
  });
  const digest = sha256Hex(body);
  return {
    ...{ symbol: SYMBOL, ...ids, sequence, window_end_ms: FROM_MS + sequence * 10_000, known_ts_ms: FROM_MS + sequence * 10_000 + 1_000 },
    ...{
      state: 'market_state_watch',
      event_class: 'c',
      event_profile: 'p',
      transition_type: 't',
      severity_class: 's',
      severity_score: 0.25,
    },
    ...{ novelty_score: '1.0', contradiction_score: '0.0', confidence_label: 'low', confidence_score: 0.1, state_margin: null },
    ...{ tags: 'one|two', gap_flags: '', packet_digest: digest, lineage_digest: lineageDigest(previous, digest), body },
    ...{ signature: sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64'), signing_key_id: key.keyId },
  };
}

const first = packet(1);
const second = packet(2, first);
const third = packet(3, second);

function folderOf(rows: readonly Cells[], keys: readonly object[] = [jwk]): string {
  const support = { 'keys.json': JSON.stringify({ keys }) };
  return writeExport(join(place.folder, `export-${(total += 1)}`), { dataset: 'packets', rows, support });
}

async function faultsOf(rows: readonly Cells[], keys?: readonly object[]): Promise<readonly string[]> {
  const { exitCode, lines } = await place.run('verify-export', folderOf(rows, keys));
  const faults = lines.flatMap((line) => (line.startsWith('  fault') ? [line.slice(16)] : []));
  expect(exitCode).toBe(faults.length > 0 ? 1 : 0);
  return faults;
}

test('packets whose digests, signatures and links hold are whole, and equal where the API has the same digests', async () => {
  const rows = [first, second, third];
  expect(await faultsOf(rows)).toEqual([]);
  api.served.lines = rows.map((row) => ({ timeMs: Number(row['window_end_ms']), line: String(row['packet_digest']) }));
  const { exitCode, stdout } = await place.run('verify-export', folderOf(rows), '--url', api.url);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining(`3 rows, chain ${chainOf(rows.map((row) => String(row['packet_digest'])))}`),
  ]);
  expect(stdout).toContain('3 equal to the API, 0 different');
});

test('a body that was changed is named by its digest, and by the columns that it no longer says', async () => {
  const body = String(second['body']).replace('market_state_watch', 'pressure_building');
  expect(await faultsOf([first, { ...second, body }])).toEqual([
    `${data}: row 2: SHA-256 of body is ${sha256Hex(body)}, packet_digest is ${String(second['packet_digest'])}`,
    `${data}: row 2: state is "market_state_watch", body has "pressure_building"`,
  ]);
});

test('a signature of another packet, and a key that is not in keys.json, are named', async () => {
  expect(await faultsOf([{ ...first, signature: second['signature'] ?? null }])).toEqual([
    `${data}: row 1: not a valid signature by ${key.keyId}`,
  ]);
  expect(await faultsOf([first], [])).toEqual([`${data}: row 1: signed with ${key.keyId}, which is not in keys.json`]);
});

test('a packet that was taken out between two is seen where sequences go on as if it had not been', async () => {
  expect(await faultsOf([first, third])).toEqual([]);
  expect(await faultsOf([first, { ...third, sequence: 2 }])).toEqual([
    expect.stringContaining(`the body names ${String(second['lineage_digest'])} as the previous packet`),
  ]);
});

test('a list of keys that is none, an id of another key, and a key that the API does not publish are named', async () => {
  expect(await faultsOf([first], [{ kid: 'x' }])).toContain('keys.json: not a list of Ed25519 keys');
  expect(await faultsOf([first], [{ ...jwk, kid: 'key_other' }])).toContain(
    `keys.json: key_other is not the id of its key, which is ${key.keyId}`,
  );
  api.served.keys = [];
  const { exitCode, stdout } = await place.run('verify-export', folderOf([]), '--url', api.url);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`keys.json: the API does not publish ${key.keyId}`)]);
});

function candle(hour: number, close = '101'): Cells {
  const openMs = FROM_MS + hour * 3_600_000;
  const [open_time_utc, close_time_utc] = [openMs, openMs + 3_600_000].map((ms) => new Date(ms).toISOString());
  return {
    ...{ symbol: SYMBOL, venue: 'hyperliquid', tf: '1h', open_ts_ms: openMs, open_time_utc: open_time_utc ?? '' },
    ...{ close_ts_ms: openMs + 3_600_000, close_time_utc: close_time_utc ?? '', open: '100', high: '101', low: null, close },
    ...{ volume: '3', notional: '300', trade_total: 2, complete: true, gap: false },
  };
}

async function compareCandles(rows: readonly Cells[], served: readonly Cells[]) {
  const folder = writeExport(join(place.folder, `export-${(total += 1)}`), { dataset: 'candles', rows });
  api.served.candles = served.map(
    ({ symbol: _symbol, venue: _venue, tf: _tf, open_ts_ms: _open, close_ts_ms: _close, ...fields }) => fields,
  );
  return place.run('verify-export', folder, '--url', api.url);
}

test('candles equal those of the API field by field; without it they are only counted', async () => {
  const { exitCode, stdout } = await compareCandles([candle(0), candle(1)], [candle(0), candle(1)]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('2 candles equal to the API, field by field')]);
  const alone = await place.run('verify-export', writeExport(join(place.folder, 'candles'), { dataset: 'candles', rows: [candle(0)] }));
  expect([alone.exitCode, alone.stdout]).toEqual([0, expect.stringContaining('only counted: candles can only be compared with the API')]);
});

test('a candle that differs, one that the API has not, and one that the export has not are named', async () => {
  const changed = await compareCandles([candle(0), candle(1, '102')], [candle(0), candle(1)]);
  expect([changed.exitCode, changed.stdout]).toEqual([1, expect.stringContaining('row 2: close is 102, the API has 101')]);
  expect((await compareCandles([candle(0), candle(1)], [candle(0)])).stdout).toContain('row 2: the API has no such candle');
  expect((await compareCandles([candle(0)], [candle(0), candle(1)])).stdout).toContain(`${SYMBOL}: the API has 1 candle more`);
});
