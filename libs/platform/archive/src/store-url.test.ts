import { parseStoreUrl, storeUrl } from './store-url';

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
