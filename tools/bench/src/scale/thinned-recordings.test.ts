import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { thinnedFile } from './thinned-recordings';

it('a thinned recording ends each second with the same book, misses no change and keeps its trades in their positions, numbered again', () => {
  const depth = (ns: string, U: number, b: [string, string][]): string =>
    `${ns} ${JSON.stringify({ stream: 'x@depth@0ms', data: { e: 'depthUpdate', U, u: U + 1, pu: U - 1, b, a: [] } })}`;
  const trade = (t: number): string => `1000000000300000000 ${JSON.stringify({ stream: 'x@trade', data: { e: 'trade', t } })}`;
  const lines = [
    depth('1000000000100000000', 10, [['5', '1']]),
    depth('1000000000200000000', 12, [
      ['5', '0'],
      ['4', '2'],
    ]),
    trade(6),
    trade(7),
    depth('1000000000400000000', 14, [['3', '1']]),
    depth('1000000001100000000', 16, [['3', '2']]),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'quiet-'));
  try {
    writeFileSync(join(folder, 'recording.gz'), gzipSync(`${lines.join('\n')}\n`));
    const written = readFileSync(thinnedFile(join(folder, 'recording.gz'), folder, { bookMs: 1_000, tradeEvery: 2 }), 'utf8')
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
    expect(written.slice(1)).toEqual([trade(3), lines[4], lines[5]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
