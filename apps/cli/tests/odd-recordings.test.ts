import { createWorkplace } from './run';
import { bareSnapshot, market, merged, received, START_MS, type UsdmInstrument } from './usdm-lines';

const place = createWorkplace();
afterAll(() => place.remove());

const BTC: UsdmInstrument = { name: 'BTCUSDT', bid: '61800.1', ask: '61800.2' };
const plain = merged(market(BTC, 100), [bareSnapshot(BTC, 150, 1_010)]).split('\n');

/** Two aggregate trades a second, as the venue sends them; their numbers are not those of trades. */
function aggregates(sizes = (index: number): string => String(1 + (index % 2))): string[] {
  return Array.from({ length: 50 }, (_, index) => {
    const ms = START_MS + 120 + index * 500;
    const data = {
      e: 'aggTrade',
      E: ms,
      a: 9_000 + index,
      s: 'BTCUSDT',
      p: '61800.2',
      q: sizes(index),
      f: 3 * index,
      l: 3 * index + 2,
      T: ms,
      m: false,
    };
    return received(120 + index * 500, { stream: 'btcusdt@aggTrade', data });
  });
}

describe('a recording with aggregate trades', () => {
  test('and no others is labelled by them, and stderr says so', async () => {
    const lines = merged(market(BTC, 100, ['depth']), aggregates(), [bareSnapshot(BTC, 150, 1_010)]);
    const { exitCode, lines: packets, stderr } = await place.run('label', place.write('aggregate.txt', lines));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        'BTCUSD-PERP: trades are aggregate trades (aggTrade): fills of one order at one price count as one trade, so there are fewer and ' +
        'larger trades than in the trade stream\n',
    });
    const { packet } = JSON.parse(packets.at(-1) ?? '') as { packet: { driver_strengths: Record<string, number>; packet_quality: object } };
    expect(packet.driver_strengths['recent_trade_count']).toBeGreaterThan(10);
    const rows = (await place.run('rows', 'aggregate.txt')).lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.filter(({ kind }) => kind === 'trade').slice(0, 2)).toMatchObject([
      { venue_id: '9000', price: '61800.2', size: '1', aggressor_side: 'buy' },
      { venue_id: '9001', price: '61800.2', size: '2', aggressor_side: 'buy' },
    ]);
  });

  test('together with the plain trades give the same packets as the plain trades', async () => {
    const both = [...plain, ...aggregates()].toSorted((a, b) => Number(BigInt(a.slice(0, 19)) - BigInt(b.slice(0, 19))));
    const outcome = await place.run('label', place.write('both.txt', both.join('\n')));
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(outcome.stdout).toBe((await place.run('label', place.write('plain.txt', plain.join('\n')))).stdout);
  });

  test('of which one is lost has a gap', async () => {
    const lines = merged(market(BTC, 100, ['depth']), aggregates().toSpliced(20, 1), [bareSnapshot(BTC, 150, 1_010)]);
    const { stdout } = await place.run('rows', place.write('lost.txt', lines));
    expect(stdout.match(/"type":"gap"/g)).toHaveLength(1);
  });
});

test('a trade line that stands below the next one leaves no gap in packets that come later', async () => {
  const at = plain.findIndex((line) => line.includes('"t":21,'));
  const next = plain.findIndex((line) => line.includes('"t":22,'));
  const swapped = plain.with(at, plain[next] ?? '').with(next, plain[at] ?? '');
  const { exitCode, stdout } = await place.run('label', place.write('swapped.txt', swapped.join('\n')), '--output', 'table');
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('trade_gap');
  const rows = await place.run('rows', 'swapped.txt', '--output', 'table');
  expect(rows.stdout).toMatch(/gap_\w+ withdrawn: the missing data arrived late/);
});

describe('a byte order mark before the first line', () => {
  test('of a recording is no part of it', async () => {
    const marked = await place.run('label', place.write('marked.txt', `\uFEFF${plain.join('\r\n')}`));
    expect(marked).toMatchObject({ exitCode: 0, stderr: '' });
    expect(marked.stdout).toBe((await place.run('label', place.write('plain.txt', plain.join('\n')))).stdout);
  });

  test('of rows is no part of them either', async () => {
    const { stdout } = await place.run('rows', place.write('plain.txt', plain.join('\n')));
    const marked = await place.run('label', place.write('marked.ndjson', `\uFEFF${stdout}`));
    expect(marked).toMatchObject({ exitCode: 0, stderr: '' });
    expect(marked.lines).toHaveLength(2);
  });
});

describe('a recording whose receive clock', () => {
  /** Moves the receive times of lines, milliseconds. */
  const moved = (lines: readonly string[], byMs: number): string[] =>
    lines.map((line) => `${BigInt(line.slice(0, 19)) + BigInt(byMs) * 1_000_000n}${line.slice(19)}`);

  test('was set back is labelled up to there, and stderr says how far it fell and what to do', async () => {
    const half = plain.findIndex((line) => line.includes('"t":30,'));
    const lines = [...plain.slice(0, half), ...moved(plain.slice(half), -7_000)];
    const { exitCode, stderr } = await place.run('label', place.write('fell.txt', lines.join('\n')));
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^BTCUSD-PERP: \d+ lines were received up to 7\.0 s before an earlier line, by receive time \(first at 2023-11-14T22:13:27\.\d{3}Z\): the clock pauses there/,
    );
    expect(stderr).toContain('sort the lines by receive time, or split the recording where its clock was set back\n');
  });

  test.each([
    [
      'jumps by +30 s',
      (index: number) => (index < plain.length / 2 ? 0 : 30_000),
      /the median of receive time minus exchange time is \S+ s, between 0\.\d and 30\.\d s, with a change from 0\.\d to 30\.\d s at 2023-/,
    ],
    ['is 6 s behind', () => -6_000, /the median of receive time minus exchange time is -6\.0 s: one of the clocks is wrong/],
  ])('%s is said with the offset', async (_kind, byMs, sentence) => {
    const lines = plain.flatMap((line, index) => moved([line], byMs(index)));
    const { stderr } = await place.run('label', place.write('offset.txt', lines.join('\n')));
    expect(stderr).toMatch(sentence);
  });

  test('runs backward from the first line to the last is refused, and stderr says why', async () => {
    const { exitCode, stdout, stderr } = await place.run('label', place.write('backward.txt', plain.toReversed().join('\n')));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^BTCUSD-PERP: \d+ lines were received up to 24\.\d s before an earlier line/);
    expect(stderr).toContain('nothing was labelled');
  });

  test('is out of order by less than a second is labelled without a word', async () => {
    const lines = plain.toSpliced(4, 2, plain[5] ?? '', plain[4] ?? '');
    expect(await place.run('label', place.write('shuffled.txt', lines.join('\n')))).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
