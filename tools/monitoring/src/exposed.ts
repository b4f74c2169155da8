import { ABSENT_UNTIL, ELSEWHERE } from './declared';
import { readQuery } from './promql';

/** What processes say on `/metrics`, taken together. */
export interface Exposed {
  /** Names of the labels of a metric's series; undefined where there is no such metric, empty where it has no series. */
  labelsOf(metric: string): ReadonlySet<string> | undefined;
  names(): readonly string[];
}

/** Labels that Prometheus gives each target. */
const OF_TARGETS = ['instance', 'job', 'process'];
const HISTOGRAM = ['_bucket', '_count', '_sum'];

/** @param texts the answers of `/metrics`, one of each process */
export function readExposed(texts: readonly string[]): Exposed {
  const labels = new Map<string, Set<string>>();
  const named = (metric: string): Set<string> => {
    const known = labels.get(metric) ?? new Set<string>();
    labels.set(metric, known);
    return known;
  };
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, metric = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (metric !== '') for (const suffix of type === 'histogram' ? HISTOGRAM : ['']) named(metric + suffix);
    const [, name = '', pairs = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === '') continue;
    const own = named(name);
    own.add('__name__');
    for (const [, label = ''] of pairs.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) own.add(label);
  }
  return { labelsOf: (metric) => labels.get(metric), names: () => [...labels.keys()] };
}

/**
 * What a query names that no process says, a sentence each. A metric that has no series yet has no labels that could be compared; one that
 * is declared to come with its first occasion may be missing.
 */
export function faultsOf(expr: string, exposed: Exposed): string[] {
  return readQuery(expr).selectors.flatMap(({ metric, text, labels }) => {
    if (metric in ELSEWHERE) return [];
    const known = exposed.labelsOf(metric);
    if (known === undefined) return isDeclaredAbsent(metric, text) ? [] : [`No process says ${metric}, of "${expr}".`];
    if (known.size === 0) return [];
    return labels
      .filter((label) => !known.has(label) && !OF_TARGETS.includes(label))
      .map((label) => `${metric} has no label ${label}, of "${expr}".`);
  });
}

/** Whether the series of a metric, or those of one selector, come with their first occasion. */
export function isDeclaredAbsent(metric: string, selector: string): boolean {
  return metric in ABSENT_UNTIL || selector in ABSENT_UNTIL;
}
