import { BaseSequencer, type TestSpecification } from 'vitest/node';

type Kind = 'heavy' | 'light';

/**
 * About how long the long test files take beside others on two cores, seconds, and what they need: `heavy` starts a whole system, or
 * measures. Every other file is `light`: seconds, half of them waiting, or one core at most.
 */
const LONG: readonly (readonly [path: RegExp, kind: Kind, seconds: number])[] = [
  [/\/e2e\/default-system\./, 'heavy', 420],
  [/\/e2e\/speeds-and-restarts\./, 'heavy', 50],
  [/\/gateway\/tests\/streams-system\./, 'heavy', 40],
  [/\/launcher\/tests\/(start-system|service-roles)\./, 'light', 40],
  [/\/reference\//, 'light', 28],
  [/\/scenarios\/tests\/scenario-set\./, 'light', 20],
  [/\/(log-laws|recording)\.test/, 'light', 10],
  [/\/properties\//, 'light', 4],
  [/\/data-plane\/tests\/archive-retention\./, 'light', 60],
  [/\/gateway\/tests\/connectors\./, 'light', 32],
  [/\/(data-plane|labeling)\/tests\/archive/, 'light', 22],
  [/\/(connections|streams|live|service-roles)\.test/, 'light', 20],
  [/\/(data-plane|labeling|export)\/tests\//, 'light', 5],
  [/\/tests\//, 'light', 4],
];

interface Run {
  readonly kind: Kind;
  readonly seconds: number;
}

/** One for what is heavy, the other for the rest. A third would keep the cores from what measures. */
export const WORKERS = 2;
/** Of them, those that may run what is heavy. */
const HEAVY_AT_ONCE = 1;

function runOf(path: string): Run {
  const [, kind, seconds] = LONG.find(([pattern]) => pattern.test(path)) ?? [undefined, 'light' as const, 1];
  return { kind, seconds };
}

/** Whether a test of that kind may start beside those that run. */
function fits(kind: Kind, running: readonly { readonly kind: Kind }[]): boolean {
  return kind === 'light' || running.filter((one) => one.kind === 'heavy').length < HEAVY_AT_ONCE;
}

/**
 * Plays the run ahead: whenever a worker is free, the longest test that fits beside the others is next. Long tests begin early, none of
 * them starves another, and none is left alone at the end.
 */
export class SideBySide extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waiting = files.map((file) => ({ file, ...runOf(file.moduleId) })).sort((one, other) => other.seconds - one.seconds);
    const order: TestSpecification[] = [];
    let running: { readonly kind: Kind; readonly endS: number }[] = [];
    let nowS = 0;
    while (waiting.length > 0) {
      if (running.length === WORKERS) {
        nowS = Math.min(...running.map(({ endS }) => endS));
        running = running.filter(({ endS }) => endS > nowS);
      }
      const index = Math.max(
        0,
        waiting.findIndex(({ kind }) => fits(kind, running)),
      );
      for (const { file, kind, seconds } of waiting.splice(index, 1)) {
        running.push({ kind, endS: nowS + seconds });
        order.push(file);
      }
    }
    return order;
  }
}
