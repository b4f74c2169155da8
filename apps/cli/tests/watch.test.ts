import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CliIo } from '../src/io/cli-io';
import { createWorkplace, remembering, type Workplace } from './run';
import { runCli } from '../src/program';

const row = (symbol: string, at: number, state: string, score: number): object => ({
  symbol,
  event_id: `evt_${symbol}_${at}`,
  window_end_utc: `2026-11-30T05:20:${at}0.000Z`,
  state,
  state_age_packets: at,
  severity: { score },
  confidence: { label: 'high' },
});

let place: Workplace;
let isStreamEnded = true;
const server: Server = createServer((request, response: ServerResponse) => {
  if (request.url?.includes('/stream') !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const rows = [row('BTCUSD-PERP', 1, 'calm_watch', 0.25), row('ETHUSD-PERP', 1, 'calm_watch', 0.5)];
    response.end(JSON.stringify(request.url?.includes('/latest') === true ? { rows } : { receipt_id: 'rcp_1', rows: [{}] }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [at, symbol] of ['ETHUSD-PERP', 'BTCUSD-PERP'].entries())
    response.write(`id: 0-${at + 1}-0\nevent: packet\ndata: ${JSON.stringify(row(symbol, 2, 'pressure_building', 0.75))}\n\n`);
  if (isStreamEnded) response.end('event: end\ndata: {"code":"key_revoked","resume_id":"0-2-0"}\n\n');
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  place = createWorkplace({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'msk_live_test' });
});
afterAll(() => {
  place.remove();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  isStreamEnded = true;
});

/** Runs a command with a terminal as its stdout. */
async function onTerminal(args: readonly string[], more: Partial<CliIo> = {}): Promise<string> {
  const [stdout, stderr] = [remembering(), remembering()];
  await runCli(args, {
    stdin: process.stdin,
    stdout: Object.assign(stdout.stream, { isTTY: true }),
    stderr: stderr.stream,
    cwd: place.folder,
    signal: new AbortController().signal,
    dataDir: place.folder,
    profileFile: `${place.folder}/profile.json`,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'msk_live_test',
    ...more,
  });
  return stdout.text();
}

test('a pipe gets the newest packets, then each new one', async () => {
  const { exitCode, lines } = await place.run('get', 'latest', '--watch', '--fields', 'symbol,state');
  expect(exitCode).toBe(4);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { symbol: 'BTCUSD-PERP', state: 'calm_watch' },
    { symbol: 'ETHUSD-PERP', state: 'calm_watch' },
    { symbol: 'ETHUSD-PERP', state: 'pressure_building' },
    { symbol: 'BTCUSD-PERP', state: 'pressure_building' },
  ]);
  const { stdout } = await place.run('get', 'latest', '--watch', '--output', 'json');
  expect(JSON.parse(stdout)).toHaveLength(4);
});

test('a terminal shows one table in place, its columns aligned', async () => {
  const text = await onTerminal(['get', 'latest', '--watch', '--fields', 'symbol,state,severity.score'], { isPlain: true });
  const screens = text.split('\u001b[H\u001b[J').slice(1);
  expect(screens).toHaveLength(3);
  expect(screens[0]?.split('\n').slice(0, 3)).toEqual([
    'symbol       state       severity.score',
    'BTCUSD-PERP  calm_watch            0.25',
    'ETHUSD-PERP  calm_watch             0.5',
  ]);
  expect(screens[2]).toContain('BTCUSD-PERP  pressure_building            0.75\nETHUSD-PERP  pressure_building            0.75\n');
});

test('emphasis is for terminals, and NO_COLOR turns it off', async () => {
  const latest = ['get', 'latest', '--fields', 'symbol'];
  expect(await onTerminal(latest)).toBe('\u001b[1msymbol\u001b[22m\nBTCUSD-PERP\nETHUSD-PERP\n');
  expect(await onTerminal(latest, { isPlain: true })).toBe('symbol\nBTCUSD-PERP\nETHUSD-PERP\n');
  expect((await place.run(...latest, '--output', 'table')).stdout).toBe('symbol\nBTCUSD-PERP\nETHUSD-PERP\n');
});

test('--watch applies to latest only', async () => {
  expect(await place.run('get', 'book', '--watch')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('tail') as unknown });
});

test.each([
  [['get', 'latst'], 'Did you mean latest?'],
  [['get', 'latest', '--wacth'], 'did you mean --watch?'],
  [['get', 'book', 'eth'], 'Did you mean ETHUSD-PERP?'],
  [['alrts'], 'Did you mean alerts?'],
])('%j names what was meant', async (args, sentence) => {
  expect(await place.run(...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(sentence) as unknown });
});
