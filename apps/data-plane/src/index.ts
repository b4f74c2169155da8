export { readFeedConfig, readRecorderConfig, readRpcConfig } from './config';
export { startRecorder, type RunningRecorder } from './recorder/start-recorder';
export { startDataPlane, type RunningDataPlane } from './server';
