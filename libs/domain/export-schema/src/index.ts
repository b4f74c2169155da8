export { isCheckable, columnsOf, type ExportColumn, PACKET_BODY_COLUMNS, pickColumns } from './columns';
export {
  isMarkedInCsv,
  MARKED_CELL,
  unmarkedCell,
  type Compression,
  COMPRESSIONS,
  compressionsOf,
  DEFAULT_COMPRESSION,
  DEFAULT_FORMAT,
  defaultDepth,
  DEPTH_MAX,
  depthWritten,
  fileExtension,
  type Format,
  FORMATS,
  mediaTypeOf,
} from './formats';
export {
  type Dataset,
  DATASETS,
  DEFAULT_DATASET,
  DEFAULT_TIMEFRAME,
  isLogDataset,
  type LogDataset,
  SYMBOLS_MAX,
  type Timeframe,
  TIMEFRAME_NAMES,
  TIMEFRAMES,
} from './datasets';
export { exportFaults } from './validation-errors';
