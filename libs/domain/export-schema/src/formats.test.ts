import { compressionsOf, DEFAULT_COMPRESSION, fileExtension, FORMATS, mediaTypeOf } from './formats';

test('every format compresses with zstd by default, and only Parquet with snappy', () => {
  for (const format of FORMATS) {
    expect(compressionsOf(format)[0]).toBe(DEFAULT_COMPRESSION);
    expect(compressionsOf(format).includes('snappy')).toBe(format === 'parquet');
  }
});

test('a name ends with what opens the file', () => {
  expect(fileExtension('parquet', 'gzip')).toBe('parquet');
  expect(fileExtension('csv', 'zstd')).toBe('csv.zst');
  expect(fileExtension('ndjson', 'gzip')).toBe('ndjson.gz');
  expect(fileExtension('csv', 'none')).toBe('csv');
});

test('the media type is that of the bytes as they are stored', () => {
  expect(mediaTypeOf('parquet', 'gzip')).toBe('application/vnd.apache.parquet');
  expect(mediaTypeOf('csv', 'none')).toBe('text/csv; charset=utf-8');
  expect(mediaTypeOf('csv', 'gzip')).toBe('application/gzip');
  expect(mediaTypeOf('ndjson', 'zstd')).toBe('application/zstd');
});
