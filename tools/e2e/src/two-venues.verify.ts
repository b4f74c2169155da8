import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@market-state/logging';
import { instrumentRows, instrumentTableText } from '@market-state/market-data';
import { loadPolicy } from '@market-state/labeler';
import { bundleLines, checkBundle } from '@market-state/labeler/recompute';
import { type StandIn, startStandIn } from '@market-state/simulated-venue';
import { startSystem, type System, waitUntil } from '@market-state/testing';
import { type Api, createApi } from './system/api';

const symbol = 'SIMUSD-PERP';
const market = 'SIMUSD-PERP@okx';
const STATE = '/api/public/market-state';
const DATA = '/api/public/data';

let folder: string;
let okx: StandIn;
let system: System;
let api: Api;
let key: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-state-venues-'));
  const table = join(folder, 'instruments.json');
  const simulated = instrumentRows.filter(({ feed }) => feed === 'simulated');
  const swap = { feed: 'okx', venue: 'okx', venueInstrument: 'SIM-USDT-SWAP', contractSize: '0.1', closingLagMs: 1_000 };
  writeFileSync(table, instrumentTableText([...simulated, ...simulated.map((row) => ({ ...row, ...swap }))]));
  okx = await startStandIn({ protocol: 'okx', address: '127.0.0.1:0', seed: 7, logger: silentLogger() });
  system = await startSystem({
    settings: {
      ...{ FEED: 'simulated,okx', INSTRUMENTS_FILE: table },
      ...{ OKX_WS_URL: `ws://${okx.address}`, OKX_REST_URL: `http://${okx.address}` },
    },
  });
  key = await system.demoKey();
  api = createApi(system, key);
});

afterAll(async () => {
  await system?.stop();
  await okx?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Row {
  readonly symbol: string;
  readonly venue?: string;
  readonly event_id: string;
  readonly packet: { readonly symbol: string; readonly scope: { readonly venue: string } };
}

async function rowsOf(query: string): Promise<readonly Row[]> {
  const { status, body } = await api.getWithKey(`${STATE}/latest?${query}`);
  return status === 200 ? (body['rows'] as readonly Row[]) : [];
}

const VENUES = [
  ['simulated', `symbol=${symbol}`, undefined],
  ['okx', `symbol=${symbol}&venue=okx`, 'okx'],
] as const;

it.each(VENUES)('the newest packet and book of %s are its own', async (venue, query, named) => {
  const row = await waitUntil('a packet', async () => (await rowsOf(query))[0]);
  expect([row.symbol, row.venue, row.packet.symbol, row.packet.scope.venue]).toEqual([symbol, named, symbol, venue]);
  const body = await waitUntil('a book', async () => {
    const book = await api.getWithKey(`${DATA}/book/l2/latest?${query}&depth=1`);
    return book.status === 200 && book.body;
  });
  expect(body).toMatchObject({ symbol, venue });
});

it('ALL and the catalog have both venues', async () => {
  await waitUntil('both packets', async () => (await rowsOf('symbol=ALL')).length === 2);
  expect((await rowsOf('symbol=ALL')).map(({ venue }) => venue)).toEqual([undefined, 'okx']);
  const { body } = await api.getWithKey(`${DATA}/catalog`);
  expect(body['symbols']).toMatchObject([
    { symbol, venue: 'simulated' },
    { symbol, venue: 'okx' },
  ]);
});

it('every route that a packet of the second venue names answers for it', async () => {
  const [row] = await rowsOf(`symbol=${market}`);
  const refs = Object.values((row?.packet as unknown as { route_refs: Record<string, string> }).route_refs);
  expect(refs.length).toBeGreaterThan(3);
  for (const route of refs) {
    const { status, text } = await api.getPatiently(route, { 'x-market-state-api-key': key });
    expect([route, status]).toEqual([route, 200]);
    if (route.includes('symbol=')) expect(text).toContain('"okx"');
  }
});

it('a packet of the second venue is derived again, by the service and from its bundle', async () => {
  const [row] = await rowsOf(`symbol=${symbol}&venue=okx`);
  const eventId = row?.event_id ?? '';
  const verified = await waitUntil('recorded rows', async () => {
    const { status, body } = await api.getWithKey(`${STATE}/events/${eventId}/verify`);
    return status === 200 && body;
  });
  expect(verified).toMatchObject({ symbol, venue: 'okx', match: true });
  const response = await fetch(`${system.url}${STATE}/events/${eventId}/bundle`, { headers: { 'x-market-state-api-key': key } });
  expect(response.status).toBe(200);
  const bundle = await bundleLines(new Uint8Array(await response.arrayBuffer()));
  const check = await checkBundle({ bundle, policyFiles: loadPolicy().files, keys: null, eventId });
  expect(check).toMatchObject({ holds: true, packet: { symbol: market, eventId } });
});

it('an export of both venues has a file of each', async () => {
  for (const [, query] of VENUES)
    await waitUntil('trades', async () => (await api.getWithKey(`${DATA}/trades/latest?${query}`)).body['row_total'] !== 0);
  const order = { dataset: 'trades', symbols: [`${symbol}@simulated`, market], format: 'ndjson', compression: 'none' };
  const made = await api.send('POST', `${DATA}/export/jobs`, {
    body: JSON.stringify(order),
    headers: { 'content-type': 'application/json', 'x-market-state-api-key': key },
  });
  expect(made.status).toBe(200);
  const jobId = String(made.body['job_id']);
  await waitUntil('the export', async () => (await api.getWithKey(`${DATA}/export/jobs/${jobId}`)).body['status'] === 'ready');
  const { body } = await api.getWithKey(`${DATA}/export/jobs/${jobId}/result`);
  const files = (body['files'] as { symbol: string | null; venue?: string; name: string; download_route: string }[]).filter(
    (file) => file.symbol !== null,
  );
  expect(files.map((file) => `${file.symbol} ${file.venue}`).toSorted()).toEqual([`${symbol} okx`, `${symbol} undefined`]);
  for (const { download_route: route, venue = 'simulated' } of files) {
    const response = await fetch(new URL(route, system.url), { headers: { 'x-market-state-api-key': key } });
    for (const line of (await response.text()).trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ symbol, venue });
  }
});

it('a venue that does not serve the symbol is refused with those that do', async () => {
  const { status, text } = await api.getWithKey(`${STATE}/latest?symbol=${symbol}&venue=kraken`);
  expect(status).toBe(422);
  expect(text).toContain(`Served: ${symbol} of simulated, ${symbol} of okx`);
});
