export { readEvaluatorConfig, readWebhookConfig, readWorkerConfig } from './config';
export { startEvaluator } from './evaluator';
export { createDeliveryNotifier } from './delivery/wake-ups';
export type { MessageDraft } from './messages/message';
export { recordMessages } from './messages/record-messages';
export { startWebhookWorker } from './worker';
