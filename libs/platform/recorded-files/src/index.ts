export { type ColumnNames, isParquet, parquetLines } from './parquet-lines';
export { recordedBytes } from './recorded-bytes';
export { UnreadableFileError } from './unreadable-file-error';
