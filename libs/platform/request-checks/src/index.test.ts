import { isServiceError } from '@market-state/errors';
import {
  controlFaults,
  digestFaults,
  eventIdFaults,
  idFaults,
  instantFaults,
  laterInstantFaults,
  lengthFaults,
  nameFaults,
  optionalIdFaults,
  optionalSpanFaults,
  rangeFaults,
  refuseFaults,
  symbolFaults,
} from './index';

const NOW_MS = Date.UTC(2026, 0);
const END_MS = Date.UTC(10_000, 0) - 1;
const YEAR = 'must be between the epoch and the end of the year 9999';

const good: readonly [string, readonly unknown[]][] = [
  ['the first and the last instant', [...instantFaults('at', 0), ...instantFaults('at', END_MS)]],
  ['no end, and one to come', [...laterInstantFaults('end', 0, NOW_MS), ...laterInstantFaults('end', NOW_MS + 1, NOW_MS)]],
  ['a span', optionalSpanFaults(['from', 1], ['to', 2])],
  ['a span without a start, or an end', [...optionalSpanFaults(['from', 0], ['to', 2]), ...optionalSpanFaults(['from', 3], ['to', 0])]],
  ['both ends of a range', [...rangeFaults('limit', 1, 1, 9), ...rangeFaults('limit', 9, 1, 9)]],
  ['symbols', [...symbolFaults('BTCUSD-PERP'), ...symbolFaults('12345678901234567890USD-PERP')]],
  ['an event id', eventIdFaults(`evt_${'0'.repeat(26)}`)],
  ['an id, and none', [...idFaults('id', 'a b~'), ...optionalIdFaults('id', '')]],
  ['a digest', digestFaults('digest', new Uint8Array(32))],
  ['a text by its code points', lengthFaults('note', '😀😀', 2, 2)],
  ['a text of lines of people', controlFaults('note', 'naïve – 読')],
  ['a name', nameFaults('name', 'x'.repeat(100))],
];

test.each(good)('%s are let through', (_name, faults) => expect(faults).toEqual([]));

const bad: readonly [string, readonly unknown[], string, string][] = [
  ['an instant before the epoch', instantFaults('at', -1), YEAR, 'out_of_range'],
  ['an instant after the year 9999', instantFaults('at', END_MS + 1), YEAR, 'out_of_range'],
  ['a fraction of a millisecond', instantFaults('at', 0.5), YEAR, 'out_of_range'],
  ['an end that is now', laterInstantFaults('at', NOW_MS, NOW_MS), 'must be 0 or in the future', 'out_of_range'],
  ['an end after the year 9999', laterInstantFaults('at', END_MS + 1, NOW_MS), 'must be 0 or in the future', 'out_of_range'],
  ['a span of nothing', optionalSpanFaults(['from', 2], ['at', 2]), 'must be after from', 'out_of_range'],
  ['a number below', rangeFaults('at', 0, 1, 9), 'must be between 1 and 9', 'out_of_range'],
  ['a number above', rangeFaults('at', 10, 1, 9), 'must be between 1 and 9', 'out_of_range'],
  ['a fraction', rangeFaults('at', 1.5, 1, 9), 'must be between 1 and 9', 'out_of_range'],
  ['a symbol of another form', symbolFaults('btcusd-perp', 'at'), 'must look like BTCUSD-PERP', 'malformed'],
  ['a symbol that is too long', symbolFaults(`${'A'.repeat(21)}USD-PERP`, 'at'), 'must look like BTCUSD-PERP', 'malformed'],
  ['no id', idFaults('at', ''), 'must be 1 to 255 printable ASCII characters', 'malformed'],
  ['an id with a line end', optionalIdFaults('at', 'a\n', 9), 'must be 1 to 9 printable ASCII characters', 'malformed'],
  ['a digest that is too short', digestFaults('at', new Uint8Array(31)), 'must be 32 bytes', 'wrong_length'],
  ['a digest that is too long', digestFaults('at', new Uint8Array(33)), 'must be 32 bytes', 'wrong_length'],
  ['a text that is too short', lengthFaults('at', '', 1, 2), 'must be 1 to 2 characters', 'too_short'],
  ['a text that is too long', lengthFaults('at', 'abc', 1, 2), 'must be 1 to 2 characters', 'too_long'],
  ['a NUL', controlFaults('at', 'a\0'), 'must not contain control characters', 'malformed'],
  ['a name with a tab', nameFaults('at', 'a\tb'), 'must be 1 to 100 characters without control characters', 'out_of_range'],
  ['no name', nameFaults('at', ''), 'must be 1 to 100 characters without control characters', 'out_of_range'],
];

test.each(bad)('%s is a fault', (_name, faults, message, type) => expect(faults).toEqual([{ field: 'at', message, type }]));

test('an event id with a letter that base32 lacks is a fault', () => {
  expect(eventIdFaults(`evt_${'u'.repeat(26)}`)).toMatchObject([{ field: 'event_id', type: 'malformed' }]);
});

test('both ends of a span that are no instants are two faults', () => {
  expect(optionalSpanFaults(['from', -1], ['to', -2]).map(({ field }) => field)).toEqual(['from', 'to']);
});

test('a request is refused once, with every fault', () => {
  let thrown: unknown;
  try {
    refuseFaults(symbolFaults('x'), [], instantFaults('at', -1));
  } catch (error) {
    thrown = error;
  }
  expect(isServiceError(thrown) && thrown.code === 'INVALID_ARGUMENT' && thrown.faults.map(({ field }) => field)).toEqual(['symbol', 'at']);
  expect(() => refuseFaults([], [])).not.toThrow();
});
