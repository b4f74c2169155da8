import { readFileSync } from 'node:fs';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createWorkplace, type Workplace } from './run';
import { PassThrough } from 'node:stream';
import { runCli } from '../src/program';

const ROOT = join(import.meta.dirname, '../../..');
const score = (value: number | null): object => ({ score: value, norm: null, watch: 0.4, elevated: 0.6, level: 'none' });
const packet = (at: number, state: string, mid: number | null): object => ({
  symbol: 'BTCUSD-PERP',
  event_id: `evt_${at}`,
  window_end_utc: `2026-11-30T05:20:${at}0.000Z`,
  mid_price: mid,
  state,
  state_age_packets: at,
  state_margin: 0.125,
  severity: { score: 0.25, severity_class: 'normal' },
  confidence: { score: 0.5, label: 'high' },
  composites: {
    ...Object.fromEntries(['pressure', 'flow', 'fragility', 'crowding', 'regime'].map((name) => [name, score(0.75)])),
    forced_flow: score(null),
  },
  quality_class: 'complete',
  gap_flags: ['late_rows'],
  response_state: 'live_current',
});

let stream: ServerResponse | undefined;
const opened = new PassThrough();
const server: Server = createServer((request, response) => {
  if (request.url?.includes('/market-state/stream') !== true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ receipt_id: 'rcp_1', rows: [{}] }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  stream = response;
  opened.emit('stream');
});
const send = (kind: string, data: object, id: string): void =>
  void stream?.write(`id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);

let place: Workplace;
let url = '';
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  place = createWorkplace({ url, apiKey: 'msk_live_test' });
});
afterAll(() => {
  place.remove();
  server.closeAllConnections();
  server.close();
});

async function read(address: string): Promise<string> {
  const [response] = (await once(get(address), 'response')) as [NodeJS.ReadableStream];
  return text(response);
}

/** Reads metrics until they contain a line. */
async function metricsWith(address: string, line: string): Promise<string> {
  for (;;) {
    const found = await read(address);
    if (found.includes(line)) return found;
  }
}

test('serves the newest packet of each symbol, every metric of the dashboard, and ends with Ctrl-C', async () => {
  const [stdout, stop] = [new PassThrough(), new AbortController()];
  const ended = runCli(['exporter', '--port', '0', '--output', 'json'], {
    stdin: process.stdin,
    stdout,
    stderr: new PassThrough().resume(),
    cwd: place.folder,
    signal: stop.signal,
    dataDir: place.folder,
    profileFile: `${place.folder}/profile.json`,
    url,
    apiKey: 'msk_live_test',
  });
  const [printed] = (await once(stdout, 'data')) as [Buffer];
  const { metrics: address } = JSON.parse(printed.toString()) as { readonly metrics: string };
  if (stream === undefined) await once(opened, 'stream');
  send('packet', packet(1, 'calm_watch', 60_000.5), '0-1-0');
  send('skipped', { symbol: 'BTCUSD-PERP', from_id: '0-1-0', to_id: '0-3-0', row_total: 2, by_channel: {}, gap_total: 0 }, '0-3-0');
  const first = await metricsWith(address, 'market_state_skipped_packets_total{symbol="BTCUSD-PERP"} 2');
  for (const line of [
    'market_state_state{symbol="BTCUSD-PERP",state="calm_watch"} 1',
    'market_state_mid_price{symbol="BTCUSD-PERP"} 60000.5',
    'market_state_severity_score_ratio{symbol="BTCUSD-PERP"} 0.25',
    'market_state_composite_score_ratio{symbol="BTCUSD-PERP",composite="pressure"} 0.75',
    'market_state_stream_connected 1',
  ])
    expect(first).toContain(line);
  expect(first).not.toContain('composite="forced_flow"');

  const names = new Set([...first.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const board = readFileSync(join(ROOT, 'deploy/monitoring/symbols.json'), 'utf8');
  const { panels } = JSON.parse(board) as {
    readonly panels: readonly { readonly title: string; readonly targets: readonly { expr: string }[] }[];
  };
  expect(panels.length).toBeGreaterThan(5);
  for (const { title, targets } of panels)
    for (const { expr } of targets) {
      const used = expr.match(/market_state_\w+/g) ?? [];
      expect([title, used.length > 0, used.filter((name) => !names.has(name))]).toEqual([title, true, []]);
    }
  const page = readFileSync(join(ROOT, 'docs/cli/exporter.md'), 'utf8');
  expect([...names].filter((name) => !page.includes(`\`${name ?? ''}\``))).toEqual([]);

  send('packet', packet(2, 'pressure_building', null), '0-4-0');
  const second = await metricsWith(address, 'state="pressure_building"');
  expect(second).not.toContain('calm_watch');
  expect(second).not.toContain('market_state_mid_price{');
  expect(await read(address.replace('/metrics', '/'))).toBe('');
  stop.abort();
  expect(await ended).toBe(130);
});

test('a port that is taken is refused by name', async () => {
  const port = new URL(url).port;
  const outcome = await place.run('exporter', '--port', port);
  expect(outcome).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('EADDRINUSE') as unknown });
});
