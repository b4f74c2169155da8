import { runMain } from '@market-state/lifecycle';
import { readEvaluatorConfig, startEvaluator } from '@market-state/webhook';

/** The shipped evaluator with a fixed wall clock, so that its output does not depend on when it was killed. */
runMain('webhook-evaluator', (env, signal) => {
  const nowMs = Number(env['EVALUATOR_NOW_MS']);
  return startEvaluator(readEvaluatorConfig(env), { clock: () => nowMs }, signal);
});
