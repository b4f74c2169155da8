import { runMain } from '@market-state/lifecycle';
import { readWebhookConfig } from './config';
import { startWebhook } from './server';

runMain('webhook', (env, signal) => startWebhook(readWebhookConfig(env), {}, signal));
