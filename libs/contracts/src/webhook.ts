export * from './generated/marketstate/webhook/v1/rule';
export * from './generated/marketstate/webhook/v1/watchlist_service';
export * from './generated/marketstate/webhook/v1/saved_search_service';
export * from './generated/marketstate/webhook/v1/endpoint_service';
export * from './generated/marketstate/webhook/v1/message_service';
