export { type ColumnNames, isParquet, parquetLines } from './parquet-lines';
export { recordedBytes, UnreadableFileError } from './recorded-bytes';
