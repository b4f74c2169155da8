import { runMain } from '@market-state/lifecycle';
import { readSimulatedVenueConfig } from './config';
import { startProcess } from './start-simulated-venue';

runMain('simulated-venue', (env) => startProcess(readSimulatedVenueConfig(env)));
