import { runMain } from '@market-state/lifecycle';
import { readWorkerConfig } from './config';
import { startExportWorker } from './worker';

runMain('export-worker', (env, signal) => startExportWorker(readWorkerConfig(env), {}, signal));
