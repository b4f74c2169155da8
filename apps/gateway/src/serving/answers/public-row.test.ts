import { createMessage, marketData } from '@market-state/contracts';
import { publicRow, publicRowObject } from './public-row';

const row = {
  sequence: 7,
  epoch: 2,
  exchangeTsMs: 1_723_161_256_250,
  receivedTsMs: 1_723_161_256_300,
  flags: 0b1_0111,
  line: Buffer.from('{"price":"60000.1","size":"0.5"}'),
};

it.each([
  ['a row', { ...row, channel: 'trades' }],
  ['a row without flags', { ...row, channel: 'book', flags: 0 }],
  ['a row received before its own exchange time', { ...row, channel: 'book', flags: 64, receivedTsMs: row.exchangeTsMs - 12 }],
  ['a packet', { ...row, channel: 'packets', packetDigest: 'ab'.repeat(32) }],
])('%s is the same whether it is spliced into an answer or put in it as an object', (_name, given) => {
  const sent = createMessage(marketData.DataRow, given);
  const spliced = publicRow(sent).map((piece) => Buffer.from(piece).toString('utf8'));
  expect(JSON.parse(spliced.join(''))).toEqual(publicRowObject(sent));
});

it('reports by how much the venue’s clock is ahead, only on flagged rows', () => {
  const ahead = createMessage(marketData.DataRow, { ...row, channel: 'book', flags: 64, receivedTsMs: row.exchangeTsMs - 12 });
  expect(publicRowObject(ahead)).toMatchObject({ flags: ['venue_clock_ahead'], clock_skew_ms: 12 });
  expect(publicRowObject(createMessage(marketData.DataRow, { ...row, channel: 'book' }))).not.toHaveProperty('clock_skew_ms');
});
