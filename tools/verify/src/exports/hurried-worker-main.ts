import { readWorkerConfig, startExportWorker } from '@market-state/export';
import { runMain } from '@market-state/lifecycle';

/** What a killed worker left is taken up in seconds instead of a minute: for short forms. Workers still speak every 5 s. */
const HURRIED = { upkeepMs: 1_000, silentMs: 7_000 };

runMain('export-worker', (env, signal) => startExportWorker(readWorkerConfig(env), { pace: HURRIED }, signal));
