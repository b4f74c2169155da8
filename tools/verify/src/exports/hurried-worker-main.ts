import { readWorkerConfig, startExportWorker } from '@market-state/export';
import { runMain } from '@market-state/lifecycle';

/** Short forms recover a killed worker's work in seconds instead of a minute. The heartbeat interval stays 5 s. */
const HURRIED = { maintenanceMs: 1_000, silentMs: 7_000 };

runMain('export-worker', (env, signal) => startExportWorker(readWorkerConfig(env), { pace: HURRIED }, signal));
