import { runMain } from '@market-state/lifecycle';
import { readWorkerConfig, startWebhookWorker } from '@market-state/webhook';

/** Waits between attempts are a thousandth of a customer's, and what a killed worker or a lost wake-up left is taken up in seconds. */
const PACE = { searchMs: 250, silentMs: 2_000, claimMs: 5_000, upkeepMs: 500, hurry: 1_000 };
const LIMITS = { totalMs: 2_500, dnsMs: 2_000, connectMs: 2_500 };

runMain('webhook-worker', (env, signal) => startWebhookWorker(readWorkerConfig(env), { pace: PACE, limits: LIMITS }, signal));
