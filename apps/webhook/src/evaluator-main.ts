import { runMain } from '@market-state/lifecycle';
import { readEvaluatorConfig } from './config';
import { startEvaluator } from './evaluator';

runMain('webhook-evaluator', (env, signal) => startEvaluator(readEvaluatorConfig(env), {}, signal));
