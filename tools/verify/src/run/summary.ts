/** How a suite went. */
export interface SuiteRun {
  readonly id: string;
  readonly form: 'short' | 'long';
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** Undefined when it was skipped. */
  readonly seed: number | undefined;
  /** Why it was skipped, or how many failures there are. */
  readonly note: string;
}

/** A table of the runs, and their totals. */
export function summaryOf(runs: readonly SuiteRun[]): string[] {
  const head = ['suite', 'form', 'result', 'seconds', 'seed', ''];
  const rows = runs.map(({ id, form, result, seconds, seed, note }) => [
    id,
    form,
    result,
    result === 'skipped' ? '' : seconds.toFixed(0),
    seed === undefined ? '' : String(seed),
    note,
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 3 || at === 4 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const total = (wanted: SuiteRun['result']): number => runs.filter(({ result }) => result === wanted).length;
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
  return [
    lineOf(head),
    ...rows.map(lineOf),
    `${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped, in ${seconds.toFixed(0)} s`,
  ];
}
