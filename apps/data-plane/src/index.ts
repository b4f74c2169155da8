export { readFeedConfig, type FeedConfig } from './config';
export { startFeed, type FeedOverrides, type RunningFeed } from './feed/start-feed';
