import { createWorkplace } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

const START_S = 1_700_000_000;
const LINEAR = 'BYBIT.ws.2';
const SPOT = 'BYBIT.ws.3';

function record(t: string, conn: string, atMs: number, rest: object): string {
  return JSON.stringify({ t, conn, ts: START_S + atMs / 1_000, ...rest });
}

function opened(conn: string, market: string): string[] {
  const addr = `wss://stream.bybit.com/v5/public/${market}`;
  const data = JSON.stringify({ op: 'subscribe', args: ['orderbook.50.BTCUSDT', 'publicTrade.BTCUSDT'] });
  return [record('connect', conn, 0, { addr }), record('send', conn, 10, { addr, data })];
}

/** A book of the price and a trade at it, every half second for 25 s. */
function market(conn: string, price: number, topic = 'orderbook.50'): string[] {
  return Array.from({ length: 50 }, (_, index) => {
    const atMs = 100 + index * 500;
    const ms = START_S * 1_000 + atMs;
    const data = { s: 'BTCUSDT', b: [[`${price}.0`, `${1 + index}`]], a: [[`${price}.1`, '2']], u: 100 + index, seq: index };
    const book = { topic: `${topic}.BTCUSDT`, type: index === 0 ? 'snapshot' : 'delta', ts: ms, data, cts: ms };
    const made = { T: ms, s: 'BTCUSDT', S: 'Buy', v: '0.5', p: `${price}.1`, i: `${conn}-${index}`, BT: false };
    const trade = { topic: 'publicTrade.BTCUSDT', type: 'snapshot', ts: ms, data: [made] };
    return [book, trade].map((frame) => record('recv', conn, atMs, { data: JSON.stringify(frame) }));
  }).flat();
}

const HEADER = JSON.stringify({ t: 'header', format: 2, exchange: 'BYBIT', config: { trades: ['BTC-USDT-PERP'] }, recorded: START_S });
const INSTRUMENTS = record('http', 'BYBIT.http.1', -1_000, {
  url: 'https://api.bybit.com/v5/market/instruments-info?&category=linear',
  data: JSON.stringify({ retCode: 0, result: { category: 'linear', list: [{ symbol: 'BTCUSDT', contractType: 'LinearPerpetual' }] } }),
});

/** Interleaves the lines of two connections. */
function inSlices(one: readonly string[], other: readonly string[]): string[] {
  return one.flatMap((line, index) => [line, other[index] ?? '']);
}

test('a capture with its header, instrument list and spot connection gives the packets of the linear connection alone', async () => {
  const whole = [
    HEADER,
    INSTRUMENTS,
    ...opened(LINEAR, 'linear'),
    ...opened(SPOT, 'spot'),
    ...inSlices(market(LINEAR, 65_000), market(SPOT, 64_000)),
  ];
  const capture = await place.run('label', place.write('BYBIT.jsonl', whole.join('\n')));
  const linear = await place.run('label', place.write('linear.jsonl', [...opened(LINEAR, 'linear'), ...market(LINEAR, 65_000)].join('\n')));
  expect(capture).toMatchObject({ exitCode: 0, stderr: '', stdout: linear.stdout });
  expect(capture.lines.length).toBeGreaterThan(1);
  const { stdout } = await place.run('rows', 'BYBIT.jsonl');
  expect(stdout).toContain('"65000');
  expect(stdout).not.toContain('"64000');
});

test('a recording of spot alone is refused, with its line and what to record', async () => {
  const outcome = await place.run(
    'label',
    place.write('spot.jsonl', [HEADER, ...opened(SPOT, 'spot'), ...market(SPOT, 64_000)].join('\n')),
  );
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  expect(outcome.stderr).toBe(
    'market-state: spot.jsonl:4: connection BYBIT.ws.3 belongs to Bybit spot; only linear perpetuals are supported: record ' +
      'wss://stream.bybit.com/v5/public/linear\n',
  );
});

test('two connections that carry one instrument and do not say of which market are refused', async () => {
  const file = place.write('cut.jsonl', inSlices(market('BYBIT.ws.2', 65_000), market('BYBIT.ws.3', 64_000)).join('\n'));
  const outcome = await place.run('label', file);
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  expect(outcome.stderr).toBe(
    'market-state: cut.jsonl:1: connections BYBIT.ws.2 and BYBIT.ws.3 both carry BTCUSDT, and no connect line says whether BYBIT.ws.2 is ' +
      'linear or spot: keep the connect lines, or the lines of only one connection\n',
  );
});

test('of several books the one with the most levels is read', async () => {
  const lines = [...opened(LINEAR, 'linear'), ...inSlices(market(LINEAR, 65_000, 'orderbook.1'), market(LINEAR, 65_000))];
  const { stdout, stderr } = await place.run('rows', place.write('two-books.jsonl', lines.join('\n')));
  expect(stdout.match(/"type":"gap"/g)).toBeNull();
  expect(stdout).toContain('"venue_id":"149"');
  expect(stderr).toContain('duplicate 50');
});

test('a capture of another exchange is refused by its name', async () => {
  const outcome = await place.run('label', place.write('other.jsonl', HEADER.replace('BYBIT', 'KRAKEN')));
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  expect(outcome.stderr).toMatch(
    /^market-state: other\.jsonl:1: file is a cryptofeed capture of KRAKEN: only Bybit captures are supported; [^\n]*\n$/,
  );
});
