import { timeLimit } from '@market-state/lifecycle';
const ANSWER_MS_MAX = 30_000;

/** What a process says of itself at one moment. */
export interface Metrics {
  /** The sum of a metric's series, of those whose labels match; 0 where there is none. */
  sum(name: string, labels?: RegExp): number;
}

/** @param opsUrl where the process has its metrics */
export async function readMetrics(opsUrl: string): Promise<Metrics> {
  const text = await (await fetch(`${opsUrl}/metrics`, { signal: timeLimit(ANSWER_MS_MAX) })).text();
  const series = [...text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)];
  return {
    sum(name, labels = /^/) {
      const wanted = series.filter(([, own, ownLabels = '']) => own === name && labels.test(ownLabels));
      return wanted.reduce((sum, [, , , value]) => sum + Number(value), 0);
    },
  };
}
