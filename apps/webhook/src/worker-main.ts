import { runMain } from '@market-state/lifecycle';
import { readWorkerConfig } from './config';
import { startWebhookWorker } from './worker';

runMain('webhook-worker', (env, signal) => startWebhookWorker(readWorkerConfig(env), {}, signal));
