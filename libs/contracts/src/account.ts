export * from './generated/marketstate/account/v1/account_service';
export * from './generated/marketstate/account/v1/billing_service';
export * from './generated/marketstate/account/v1/credit_service';
export * from './generated/marketstate/account/v1/idempotency_service';
export * from './generated/marketstate/account/v1/key_service';
export * from './generated/marketstate/account/v1/operator_service';
export * from './generated/marketstate/account/v1/outbox_service';
export * from './generated/marketstate/account/v1/shown_receipt_service';
