export * from './generated/marketstate/labeling/v1/packet_record';
export * from './generated/marketstate/labeling/v1/labeling_service';
