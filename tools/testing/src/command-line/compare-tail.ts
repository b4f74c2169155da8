import type { CommandLine } from './open-command-line';

interface Row {
  readonly sequence: number;
  readonly exchange_time_utc: string;
}

/** Sequences of the rows that a tail of book and trades had, and of those stored between the first and the last of them, both in order. */
export async function compareTail(
  cli: CommandLine,
  symbol: string,
  lines: readonly string[],
): Promise<{ readonly had: readonly number[]; readonly stored: readonly number[] }> {
  const rows = lines.map((line) => JSON.parse(line) as Row);
  const had = rows.map(({ sequence }) => sequence);
  const times = rows.map(({ exchange_time_utc: at }) => Date.parse(at));
  const span = ['--from', String(Math.min(...times) - 1_000), '--to', String(Math.max(...times) + 1_000), '--channels', 'book,trades'];
  const { stdout } = await cli.run(['replay', symbol, ...span, '--format', 'ndjson', '--max-credits', '1000']);
  const stored = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as Row).sequence);
  return { had, stored: stored.filter((at) => at >= (had[0] ?? 0) && at <= (had.at(-1) ?? 0)) };
}
