import { useOwnTemporaryFolder } from '@market-state/launcher';
import { runSuite, type SuiteResult, untilInTime } from '../harness';
import { suites } from '../suites';
import type { SuiteOrder, SuiteOutcome } from './order';

/**
 * Runs the suite that the parent process orders and sends it the outcome. Ends with the parent, and at a signal; what it started and owns
 * is then ended by its warden.
 */
export function runForParent(): void {
  useOwnTemporaryFolder();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));
  process.once('disconnect', () => process.exit(1));
  process.once('message', (order: SuiteOrder) => {
    void run(order)
      .catch((error: Error): SuiteOutcome => ({ failures: [textOf(error)], timing: [], figures: [], seed: order.settings.seed }))
      .then((outcome) => process.send?.(outcome, () => process.exit(0)));
  });
}

async function run({ id, settings, triesMax }: SuiteOrder): Promise<SuiteOutcome> {
  const suite = suites.find((one) => one.id === id);
  if (suite === undefined) throw new Error(`There is no suite ${id}.`);
  const { seed, ...result } = await untilInTime(triesMax, async (attempt): Promise<SuiteResult & { readonly seed: number }> => {
    const seed = settings.seed + attempt;
    const { failures, timing, figures } = await runSuite(suite, { ...settings, seed, say });
    return { failures, timing, figures, seed };
  });
  return { ...result, seed };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** With what it was caused by. */
function textOf(error: Error): string {
  return error.cause instanceof Error ? `${error.stack}\n${textOf(error.cause)}` : (error.stack ?? error.message);
}
