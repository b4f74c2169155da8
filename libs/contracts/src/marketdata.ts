export * from './generated/marketstate/marketdata/v1/market_event';
export * from './generated/marketstate/marketdata/v1/market_data_service';
