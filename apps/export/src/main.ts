import { runMain } from '@market-state/lifecycle';
import { readExportConfig } from './config';
import { startExport } from './server';

runMain('export', (env, signal) => startExport(readExportConfig(env), {}, signal));
