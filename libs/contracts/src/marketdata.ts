export * from './generated/marketstate/marketdata/v1/accuracy';
export * from './generated/marketstate/marketdata/v1/catalog';
export * from './generated/marketstate/marketdata/v1/data_row';
export * from './generated/marketstate/marketdata/v1/followed_market';
export * from './generated/marketstate/marketdata/v1/market_event';
export * from './generated/marketstate/marketdata/v1/market_data_service';
