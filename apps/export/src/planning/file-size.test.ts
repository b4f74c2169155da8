import { compressionsOf, DATASETS, FORMATS } from '@market-state/export-schema';
import { estimatedBytes } from './file-size';

test('every compression of every format has a size, and none is smaller than zstd by much', () => {
  for (const dataset of DATASETS)
    for (const format of FORMATS)
      for (const compression of compressionsOf(format)) {
        const packed = estimatedBytes({ dataset, format, compression: 'zstd' }, 1_000);
        expect(packed).toBeGreaterThan(0);
        expect(estimatedBytes({ dataset, format, compression }, 1_000)).toBeGreaterThan(packed * 0.8);
        expect(estimatedBytes({ dataset, format, compression: 'none' }, 1_000)).toBeGreaterThan(packed * 2);
      }
});

test('so many rows, so many bytes', () => {
  const written = { dataset: 'trades', format: 'parquet', compression: 'zstd' } as const;
  expect(estimatedBytes(written, 0)).toBe(0);
  expect(estimatedBytes(written, 1_000_000)).toBe(14_000_000);
});
