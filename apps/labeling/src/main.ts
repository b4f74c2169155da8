import { runMain } from '@market-state/lifecycle';
import { readLabelingConfig } from './config';
import { startLabeling } from './server';

runMain('labeling', async (env, signal) => startLabeling(readLabelingConfig(env), {}, signal));
