import { runMain } from '@market-state/lifecycle';
import { readSimulatedVenueConfig } from './config';
import { startProcess } from './start-process';

runMain('simulated-venue', (env) => startProcess(readSimulatedVenueConfig(env)));
