export * from './generated/marketstate/export/v1/export_job';
export * from './generated/marketstate/export/v1/export_service';
export * from './generated/marketstate/export/v1/outbox_service';
