import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeQuietRecording } from './quiet-recordings';
import { refusedOf, tableOf } from './growth-reads';

it("a table shows each value's ratio to the first column, and refusals", () => {
  const columns = [
    {
      title: '1 h',
      figures: new Map([
        ['latest', 0.5],
        ['replay', 10],
      ]),
    },
    {
      title: '24 h',
      figures: new Map([
        ['latest', 1],
        ['replay', NaN],
      ]),
    },
  ];
  expect(tableOf(columns)).toEqual(['          1 h         24 h', 'latest   0.50  1.00 (2.00)', 'replay  10.00      refused']);
});

it('refusals are listed by status, and nothing if all was answered', () => {
  expect(refusedOf([200, 503, 200, 429, 503])).toBe('of 5 answers 2 were 503, 1 were 429');
  expect(refusedOf([200, 200])).toBeUndefined();
});

it('a quiet recording ends each second with the same book, misses no change and keeps every trade in its position', () => {
  const depth = (ns: string, U: number, b: [string, string][]): string =>
    `${ns} ${JSON.stringify({ stream: 'x@depth@0ms', data: { e: 'depthUpdate', U, u: U + 1, pu: U - 1, b, a: [] } })}`;
  const trade = `1000000000300000000 ${JSON.stringify({ stream: 'x@trade', data: { e: 'trade' } })}`;
  const lines = [
    depth('1000000000100000000', 10, [['5', '1']]),
    depth('1000000000200000000', 12, [
      ['5', '0'],
      ['4', '2'],
    ]),
    trade,
    depth('1000000000400000000', 14, [['3', '1']]),
    depth('1000000001100000000', 16, [['3', '2']]),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'quiet-'));
  try {
    writeFileSync(join(folder, 'recording.gz'), gzipSync(`${lines.join('\n')}\n`));
    const written = readFileSync(writeQuietRecording(join(folder, 'recording.gz'), folder), 'utf8')
      .trimEnd()
      .split('\n');
    expect(written).toHaveLength(4);
    expect(JSON.parse(written[0]?.split(' ')[1] ?? '')).toEqual({
      stream: 'x@depth@0ms',
      data: {
        e: 'depthUpdate',
        U: 10,
        u: 13,
        pu: 9,
        b: [
          ['5', '0'],
          ['4', '2'],
        ],
        a: [],
      },
    });
    expect(written.slice(1)).toEqual([trade, lines[3], lines[4]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
