export { readFeedConfig, readRecorderConfig, readRpcConfig, type FeedConfig, type RecorderConfig, type RpcConfig } from './config';
export { startFeed, type FeedOverrides, type RunningFeed } from './feed/start-feed';
export { startRecorder, type RunningRecorder } from './recorder/start-recorder';
export { startDataPlane, type RunningDataPlane } from './server';
