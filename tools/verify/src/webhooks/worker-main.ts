import { runMain } from '@market-state/lifecycle';
import { readWorkerConfig, startWebhookWorker } from '@market-state/webhook';

/**
 * Retry delays are a thousandth of production's, and work left by a killed worker or a lost wake-up is recovered in
 * seconds.
 */
const PACE = { searchMs: 250, silentMs: 2_000, claimMs: 5_000, maintenanceMs: 500, hurry: 1_000 };
const LIMITS = { totalMs: 2_500, dnsMs: 2_000, connectMs: 2_500 };

runMain('webhook-worker', (env, signal) => startWebhookWorker(readWorkerConfig(env), { pace: PACE, limits: LIMITS }, signal));
