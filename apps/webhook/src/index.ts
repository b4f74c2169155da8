export { readEvaluatorConfig } from './config';
export { startEvaluator } from './evaluator';
