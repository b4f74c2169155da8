import { waitUntil } from '../wait-until';
import type { CommandLine } from './open-command-line';

/** A row as it is streamed. A gap among the rows has no sequence. */
interface Row {
  readonly sequence?: number;
  readonly exchange_time_utc?: string;
}

const SECOND_MS = 1_000;
/** Exit codes of a replay that was read to its receipt: complete, or with gaps. */
const READ_TO_THE_END = [0, 6];

/**
 * Sequences of the rows that a tail of book and trades printed, and of the stored rows between its first and its last, both in order.
 * Waits until the last row of the tail is stored.
 * @param lines complete lines, as `RunningCommand.lines` gives them
 * @throws Error when the tail printed no row, or its last row is never stored
 */
export async function compareTail(
  cli: CommandLine,
  symbol: string,
  lines: readonly string[],
): Promise<{ readonly had: readonly number[]; readonly stored: readonly number[] }> {
  const rows = rowsIn(lines);
  const had = rows.map(({ sequence }) => sequence);
  const [first, last] = [had[0], had.at(-1)];
  if (first === undefined || last === undefined) throw new Error('The tail printed no row.');
  const times = rows.map(({ atMs }) => atMs);
  const span = ['--from', String(Math.min(...times) - SECOND_MS), '--to', String(Math.max(...times) + SECOND_MS)];
  const stored = await waitUntil('the last row of the tail in a replay', async () => {
    const { exitCode, stdout, stderr } = await cli.run([
      ...['replay', symbol, ...span, '--channels', 'book,trades'],
      ...['--output', 'ndjson', '--max-credits', '1000'],
    ]);
    if (!READ_TO_THE_END.includes(exitCode)) throw new Error(`The replay exits with ${exitCode}: ${stderr}`);
    const sequences = rowsIn(stdout.split('\n').slice(0, -1)).map(({ sequence }) => sequence);
    return sequences.includes(last) && sequences;
  });
  return { had, stored: stored.filter((at) => at >= first && at <= last) };
}

function rowsIn(lines: readonly string[]): readonly { readonly sequence: number; readonly atMs: number }[] {
  return lines.flatMap((line) => {
    const { sequence, exchange_time_utc: at } = JSON.parse(line) as Row;
    return sequence === undefined || at === undefined ? [] : [{ sequence, atMs: Date.parse(at) }];
  });
}
