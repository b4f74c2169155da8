export * from './generated/marketstate/account/v1/key_service';
