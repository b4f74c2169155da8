export * from './generated/marketstate/labeling/v1/packet_record';
export * from './generated/marketstate/labeling/v1/labeling_service';
export * from './generated/marketstate/labeling/v1/checkpoint';
export * from './generated/marketstate/labeling/v1/signing_key';
export * from './generated/marketstate/labeling/v1/event_record';
export * from './generated/marketstate/labeling/v1/feedback';
export * from './generated/marketstate/labeling/v1/stability';
export * from './generated/marketstate/labeling/v1/share';
