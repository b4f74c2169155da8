import { runMain } from '@market-state/lifecycle';
import { readRpcConfig } from './config';
import { startDataPlane } from './server';

runMain('data-plane', (env) => startDataPlane(readRpcConfig(env)));
