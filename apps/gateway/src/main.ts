import { join } from 'node:path';
import { runMain } from '@market-state/lifecycle';
import { readGatewayConfig } from './config';
import { startGateway } from './gateway';

/** A bundle is deployed next to its build record. */
const release = { programFile: import.meta.filename, recordFile: join(import.meta.dirname, 'release.json') };

runMain('gateway', (env) => startGateway({ ...readGatewayConfig(env), release }));
