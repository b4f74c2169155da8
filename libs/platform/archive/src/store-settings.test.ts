import { readConfig } from '@market-state/config';
import { z } from 'zod';
import { parseStoreUrl, storeOptionsOf, storeUrl, storeVariables } from './store-settings';

test.each([
  ['/var/lib/archive', { kind: 'folder', path: '/var/lib/archive' }],
  ['file:///var/lib/an%20archive', { kind: 'folder', path: '/var/lib/an archive' }],
  ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { kind: 's3', bucket: 'bucket', prefix: '' }],
  ['s3://my.bucket-1/a/b', { kind: 's3', bucket: 'my.bucket-1', prefix: 'a/b' }],
  ['s3://bucket/a/b/', { kind: 's3', bucket: 'bucket', prefix: 'a/b' }],
])('%s is the URL of a store', (url, place) => {
  expect(parseStoreUrl(url)).toEqual(place);
  expect(storeUrl.safeParse(url).success).toBe(true);
});

test.each([
  '',
  'archive',
  './archive',
  's3:',
  's3://',
  's3://B',
  's3://bu_cket/a',
  's3://bucket//a',
  's3://bucket/../a',
  's3://bucket/a?b',
  'file://host/a',
  'http://host/a',
])('%j is none, and the fault says what is wanted', (url) => {
  expect(() => parseStoreUrl(url)).toThrow(/absolute path of a folder, file:\/\/\/folder or s3:\/\/bucket\/prefix/);
  expect(storeUrl.safeParse(url).error?.issues).toHaveLength(1);
});

const schema = z.object({ ARCHIVE_URL: storeUrl.optional(), ...storeVariables });

test('a store is configured by its URL and the settings of a bucket', () => {
  const read = readConfig(schema, {
    ARCHIVE_URL: 's3://bucket/archive',
    S3_ENDPOINT: 'https://s3.example.net',
    S3_REGION: 'eu-central-1',
    S3_FORCE_PATH_STYLE: 'false',
    S3_CACHE_DIR: '/var/cache/market-state',
  });
  expect(read.ARCHIVE_URL).toBe('s3://bucket/archive');
  expect(storeOptionsOf(read)).toEqual({
    endpoint: 'https://s3.example.net',
    region: 'eu-central-1',
    forcePathStyle: false,
    cacheFolder: '/var/cache/market-state',
  });
  expect(storeOptionsOf(readConfig(schema, {}))).toEqual({});
});

test('every fault of these settings is named, and no value repeated', () => {
  const wrong = { ARCHIVE_URL: 'hunter2', S3_ENDPOINT: 'hunter2', S3_REGION: 'hunter 2', S3_FORCE_PATH_STYLE: 'hunter2' };
  expect(() => readConfig(schema, wrong)).toThrow(
    /ARCHIVE_URL: must be the absolute path[^]*S3_ENDPOINT: [^]*S3_REGION: [^]*S3_FORCE_PATH_STYLE: must be/,
  );
  expect(() => readConfig(schema, wrong)).not.toThrow(/hunter/);
});
