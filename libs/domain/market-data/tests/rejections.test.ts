import fc from 'fast-check';
import { parseJson, parseMessage, scanDiff } from '../src/binance/parse-message';
import { recordingPass } from '../src';
import type { RejectionReason } from '../src/rejections';
import { anyCharacter } from './any-character';
import { DAY_MS, diff, handMadePass, line, snapshot, trade } from './messages';
import { readLines } from './recording';

const SYMBOL = 'BTCUSD_PERP';
const at = DAY_MS + 100;
const levels = [[['100', '1']], [['101', '1']]] as const;
const plain = trade(at, 1);

function rejectionsOf(message: string): Partial<Record<RejectionReason, number>> {
  const pass = recordingPass(handMadePass([line(100, message)], 200));
  expect([...pass.events].map(({ event }) => event.kind)).toEqual(['feed_status']);
  return Object.fromEntries(Object.entries(pass.rejections).filter(([, count]) => count > 0));
}

describe('input that is rejected', () => {
  it.each<[string, string, RejectionReason]>([
    ['cut off', plain.slice(0, -5), 'broken_json'],
    ['not JSON', 'hello', 'broken_json'],
    ['empty', '', 'broken_json'],
    ['a list', '[]', 'broken_json'],
    ['null', 'null', 'broken_json'],
    ['NaN as a number', plain.replace('"50000.0"', 'NaN'), 'broken_json'],
    ['no data', '{"stream":"x"}', 'unknown_message'],
    ['data of another kind', '{"data":{"e":"kline"}}', 'unknown_message'],
    ['data without a kind', '{"data":{}}', 'unknown_message'],
    ['an answer of a route that is not asked', '{"stream":"btcusd_perp@klines","data":{}}', 'unknown_message'],
    ['no time', trade(at, 1, { T: undefined }), 'unknown_message'],
    ['a time that is text', trade(at, 1, { T: String(at) }), 'unknown_message'],
    ['a fraction as time', trade(at, 1, { T: at + 0.5 }), 'unknown_message'],
    ['no taker side', trade(at, 1, { m: 'true' }), 'unknown_message'],
    ['an update id beyond 53 bits', diff(at, [1, 2 ** 60, 0], [], []), 'unknown_message'],
    ['no level list', diff(at, [1, 2, 0], [], []).replace('"b":[]', '"b":{}'), 'unknown_message'],
    ['another symbol', trade(at, 1, { s: 'ETHUSD_PERP' }), 'unknown_symbol'],
    ['another symbol in a diff', diff(at, [1, 2, 0], [], []).replace('"BTCUSD_PERP"', '"BTCUSD_240927"'), 'unknown_symbol'],
    ['another symbol in a snapshot', snapshot(at, 5, ...levels).replace('BTCUSD_PERP', 'X'), 'unknown_symbol'],
    ['a price of NaN', trade(at, 1, { p: 'NaN' }), 'bad_price'],
    ['an infinite price', trade(at, 1, { p: 'Infinity' }), 'bad_price'],
    ['a negative price', trade(at, 1, { p: '-1' }), 'bad_price'],
    ['a zero price', trade(at, 1, { p: '0.0' }), 'bad_price'],
    ['a price as a number', trade(at, 1, { p: 50_000 }), 'bad_price'],
    ['a price with an exponent', trade(at, 1, { p: '5e4' }), 'bad_price'],
    ['a price of more than 15 digits', trade(at, 1, { p: '1234567890123456' }), 'bad_price'],
    ['a zero price in a diff', diff(at, [1, 2, 0], [['0', '1']], []), 'bad_price'],
    ['a level that is text', diff(at, [1, 2, 0], [], []).replace('"b":[]', '"b":[["",""]]'), 'bad_price'],
    ['a zero size', trade(at, 1, { q: '0' }), 'bad_size'],
    ['a negative size', trade(at, 1, { q: '-4' }), 'bad_size'],
    ['no size', trade(at, 1, { q: undefined }), 'bad_size'],
    ['a negative size in a diff', diff(at, [1, 2, 0], [], [['101', '-1']]), 'bad_size'],
    ['a zero size in a snapshot', snapshot(at, 5, [['100', '0']], [['101', '1']]), 'bad_size'],
    ['a time over 5 s ahead', trade(at + 5_001, 1), 'future_time'],
    ['a frame over 1 MiB', trade(at, 1, { X: 'x'.repeat(1_048_576) }), 'oversized_frame'],
    ['a frame over 1 MiB of two-byte characters', trade(at, 1, { X: 'é'.repeat(524_288) }), 'oversized_frame'],
  ])('%s', (_what, message, reason) => {
    expect(rejectionsOf(message)).toEqual({ [reason]: 1 });
  });

  it('takes a time of exactly 5 s ahead, and a frame of exactly 1 MiB', () => {
    const padding = 1_048_576 - trade(at, 1, { X: '' }).length;
    const pass = recordingPass(handMadePass([line(100, trade(at + 5_000, 1)), line(100, trade(at, 2, { X: 'x'.repeat(padding) }))], 200));
    expect([...pass.events].map(({ event }) => event.kind)).toEqual(['feed_status', 'trade', 'trade']);
  });

  it('rejects a diff whole when one of its levels is bad: the book does not take the others, and the next diff is a gap', () => {
    const lines = [
      line(0, snapshot(DAY_MS, 5, ...levels)),
      line(
        10,
        diff(
          DAY_MS + 10,
          [5, 6, 4],
          [
            ['100.5', '1'],
            ['-1', '1'],
          ],
          [],
        ),
      ),
      line(20, diff(DAY_MS + 20, [7, 8, 6], [], [])),
    ];
    const pass = recordingPass(handMadePass(lines, 300));
    expect([...pass.events].flatMap(({ event }) => (event.kind === 'feed_status' ? [event.status.type] : [event.kind]))).toEqual([
      'connected',
      'tick',
      'gap',
      'tick',
      'resynced',
    ]);
    expect(pass.rejections.bad_price).toBe(1);
  });

  it('never throws, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.json()), (text) => {
        expect(['rejected', 'ignored']).toContain(parseMessage(text, 0, SYMBOL, 'coinm').type);
      }),
    );
  });
});

describe('the scanner of depth diffs', () => {
  const depths = readLines('BTCUSD-PERP')
    .slice(0, 2_000)
    .filter((text) => text.includes('@depth@'))
    .map((text) => text.slice(20));

  it('reads real diffs as the JSON parser does', () => {
    expect(depths.map((text) => parseMessage(text, 0, SYMBOL, 'coinm'))).toEqual(depths.map((text) => parseJson(text, SYMBOL, 'coinm')));
    expect(depths.every((text) => scanDiff(text, 0, SYMBOL, 'coinm') !== undefined)).toBe(true);
  });

  it('agrees with the JSON parser on diffs with a character changed, put in or left out', () => {
    const short = depths.filter((text) => text.length < 300);
    const character = fc.oneof(fc.constantFrom(...'0123456789.,"[]{}-eE: \\\0'), anyCharacter);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat({ max: 1 }), fc.option(character), (which, where, width, put) => {
        const text = short[which % short.length] ?? '';
        const position = where % text.length;
        const changed = text.slice(0, position) + (put ?? '') + text.slice(position + width);
        const parsed = changed.includes('@bookTicker"') ? { type: 'ignored' } : parseJson(changed, SYMBOL, 'coinm');
        if (JSON.stringify(parseMessage(changed, 0, SYMBOL, 'coinm')) !== JSON.stringify(parsed)) throw new Error('they differ');
      }),
      { numRuns: 20_000 },
    );
  });
});
