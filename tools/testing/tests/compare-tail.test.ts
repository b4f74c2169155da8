import { type CommandLine, compareTail } from '../src/index';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 10, 0, second)).toISOString();
const row = (sequence: number): string => JSON.stringify({ symbol: 'A', sequence, channel: 'trades', exchange_time_utc: at(sequence) });
const gap = JSON.stringify({ gap_id: 'gap_1', reason: 'feed_down', start_utc: at(2), end_utc: null });

/** A command line whose replays have these outcomes, in order. */
function replaying(...outcomes: readonly (readonly [exitCode: number, stdout: string])[]): CommandLine {
  const left = [...outcomes];
  return {
    run() {
      const [exitCode, stdout] = left.shift() ?? [1, ''];
      return Promise.resolve({ exitCode, stdout, stderr: '' });
    },
    start() {
      throw new Error('not of this test');
    },
    with: () => replaying(...left),
  };
}

test('a gap in a tail is not a row, and a truncated last line of a replay does not count', async () => {
  const cli = replaying([0, [row(1), row(2), gap, row(3), row(4), row(5).slice(0, 20)].join('\n')]);
  expect(await compareTail(cli, 'A', [row(2), gap, row(3)])).toEqual({ had: [2, 3], stored: [2, 3] });
});

test("a replay that failed, or preceded the tail's last row, is repeated", async () => {
  const cli = replaying([1, ''], [0, `${row(1)}\n`], [6, `${[row(1), row(2), row(3)].join('\n')}\n`]);
  expect(await compareTail(cli, 'A', [row(1), row(3)])).toEqual({ had: [1, 3], stored: [1, 2, 3] });
});
