export * from './generated/marketstate/feed/v1/feed_service';
