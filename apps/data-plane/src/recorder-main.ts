import { runMain } from '@market-state/lifecycle';
import { readRecorderConfig } from './config';
import { startRecorder } from './recorder/start-recorder';

runMain('data-plane-recorder', (env, signal) => startRecorder(readRecorderConfig(env), signal));
