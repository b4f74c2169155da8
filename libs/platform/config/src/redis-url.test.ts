import { parseRedisUrl } from './redis-url';

test.each(['redis://127.0.0.1', 'redis://127.0.0.1:6379', 'rediss://user:p%40ss@redis.internal:6380/3', 'redis://[::1]:6379/'])(
  '%s is one server, taken as it is',
  (url) => {
    expect(parseRedisUrl(url)).toEqual({ kind: 'server', url });
  },
);

test.each([
  ['redis-cluster://a:6379', { nodes: [{ host: 'a', port: 6379 }], isEncrypted: false }],
  [
    'redis-cluster://10.0.0.1:7000,redis-2.internal:7001,[fd00::3]:65535',
    {
      nodes: [
        { host: '10.0.0.1', port: 7000 },
        { host: 'redis-2.internal', port: 7001 },
        { host: 'fd00::3', port: 65_535 },
      ],
      isEncrypted: false,
    },
  ],
  ['rediss-cluster://:p%2Fss@a:1', { nodes: [{ host: 'a', port: 1 }], password: 'p/ss', isEncrypted: true }],
  ['redis-cluster://us%3Aer:pass@a:1', { nodes: [{ host: 'a', port: 1 }], username: 'us:er', password: 'pass', isEncrypted: false }],
])('%s is a cluster', (url, expected) => {
  expect(parseRedisUrl(url)).toEqual({ kind: 'cluster', ...expected });
});

const notAUrl = /must be a redis:\/\/, rediss:\/\/, redis-cluster:\/\/ or rediss-cluster:\/\/ URL/;

test.each([
  ['hunter2', notAUrl],
  ['http://a:1', notAUrl],
  ['redis-sentinel://hunter2:1', notAUrl],
  ['redis://', /must include the server/],
  ['redis:///hunter2', /must include the server/],
  ['redis://a/hunter2', /except a database number/],
  ['redis-cluster://', /node 1 is invalid/],
  ['redis-cluster://a:1,', /node 2 is invalid/],
  ['redis-cluster://a:1,hunter2', /node 2 is invalid/],
  ['redis-cluster://a:0', /node 1 is invalid/],
  ['redis-cluster://a:1,b:65536', /node 2 is invalid/],
  ['redis-cluster://a:1/2', /nothing else; node 1 is invalid/],
  ['redis-cluster://hunter2@a:1', /user:password@/],
  ['redis-cluster://user:hunter2%ZZ@a:1', /user:password@/],
  ['redis-cluster://user:hunter2@x@a:1', /user:password@/],
])('%s is refused with what is wrong, and without its secrets', (url, message) => {
  expect(() => parseRedisUrl(url)).toThrow(message);
  expect(() => parseRedisUrl(url)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }) as Error);
});
