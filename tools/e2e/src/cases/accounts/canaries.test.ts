import { Readable } from 'node:stream';
import { findInStream } from './canaries';

const secrets = { token: 'canary-token', short: 'zq', spaced: 'a b/c' };

test('a secret is found in every form, even when split across chunks', async () => {
  const pieces = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));
  await expect(findInStream(pieces('x canary-', 'tok', 'en y'), secrets)).resolves.toEqual(['token']);
  await expect(findInStream(pieces(`\\\\x00${Buffer.from('canary-token').toString('hex')}00`), secrets)).resolves.toEqual(['token']);
  await expect(findInStream(pieces('q=a%20b%2Fc', '\t', Buffer.from('zq').toString('base64')), secrets)).resolves.toEqual([
    'short',
    'spaced',
  ]);
  await expect(findInStream(pieces('canary-', 'tokem', ' a b', '_c'), secrets)).resolves.toEqual([]);
});
