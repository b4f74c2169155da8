import { feed } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { type FeedRpcDeps, getDeepBook } from './get-deep-book';
import { getFeedState } from './get-feed-state';

export function bindFeedService(deps: FeedRpcDeps): BoundService {
  return bindService(feed.FeedServiceService, withDeps(deps, { getDeepBook, getFeedState }));
}
