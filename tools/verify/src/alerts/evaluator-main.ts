import { runMain } from '@market-state/lifecycle';
import { readEvaluatorConfig, startEvaluator } from '@market-state/webhook';

/** The evaluator as it is shipped, by a wall clock that stands still: what it writes does not depend on when it was killed. */
runMain('webhook-evaluator', (env, signal) => {
  const nowMs = Number(env['EVALUATOR_NOW_MS']);
  return startEvaluator(readEvaluatorConfig(env), { clock: () => nowMs }, signal);
});
