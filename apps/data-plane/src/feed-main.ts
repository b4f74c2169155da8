import { runMain } from '@market-state/lifecycle';
import { readFeedConfig } from './config';
import { startFeed } from './feed/start-feed';

runMain('data-plane-feed', async (env, signal) => startFeed(readFeedConfig(env), { signal }));
