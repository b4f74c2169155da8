import fc from 'fast-check';
import type { RawRequest } from './http-client';

/** Valid and invalid queries of reads with a symbol. */
export const QUERIES = [
  '',
  '?',
  '?symbol=BTCUSD-PERP',
  '?symbol=ALL',
  '?symbol=%42TCUSD-PERP',
  '?symbol=BTCUSD%2DPERP&',
  '?symbol=',
  '?symbol',
  '?symbol=all',
  '?symbol=btcusd-perp',
  '?symbol=BTCUSD-PERP+',
  '?symbol=XXXXXXXXXXXXXXXXXXXXXUSD-PERP',
  '?symbol=BTCUSD-PERP&symbol=BTCUSD-PERP',
  '?symbol[]=BTCUSD-PERP',
  '?symbol=BTCUSD-PERP&depth=1',
  '?depth=1&foo=2&symbol=x',
  '?depth=25',
  '?depth=026&symbol=BTCUSD-PERP',
  '?limit=2',
  '?limit=0',
  '?window_seconds=3600',
  '?window_seconds=3601',
  '?symbol=BTCUSD-PERP&as_of=',
  '?symbol=BTCUSD-PERP&as_of=yesterday',
  '?__proto__=1',
  '?constructor=ALL&symbol=BTCUSD-PERP',
  '?symbol=%E0%A4%A',
  '?=1',
  `?symbol=BTCUSD-PERP&x=${'y'.repeat(2_100)}`,
  `?${'symbol=BTCUSD-PERP&'.repeat(40)}`,
];
/** Six requests that are admitted and two that are refused. */
export const REQUESTS: readonly RawRequest[] = [
  {},
  { method: 'HEAD' },
  { headers: { 'accept-encoding': 'gzip' } },
  { headers: { 'accept-encoding': 'br;q=0.5, gzip;q=0.9' } },
  { headers: { 'if-none-match': '*' } },
  { headers: { 'content-type': 'text/plain; a=b' } },
  { headers: { 'x-market-state-api-key': 'bad' } },
  { headers: { 'x-max-credits': 'many' } },
];

/** Text with random percent-encoding. */
const encoded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.array(fc.boolean(), { maxLength: 12 }))
    .map(([value, marks]) =>
      [...value].map((letter, at) => (marks[at] === true ? `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}` : letter)).join(''),
    );
const symbols = fc.constantFrom(
  'BTCUSD-PERP',
  'ALL',
  'ETHUSD-PERP',
  'btcusd-perp',
  'All',
  'BTCUSD-PERP,ALL',
  'USD-PERP',
  '[ALL]',
  '{}',
  '',
);
const values = fc.oneof(
  { weight: 6, arbitrary: encoded(symbols) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Z\d]{1,22}USD-PERP$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => encodeURIComponent(text)) },
);
const names = fc.oneof(
  { weight: 6, arbitrary: encoded(fc.constant('symbol')) },
  { weight: 1, arbitrary: fc.constantFrom('Symbol', 'symbol[]', 'symbol[a]', 'symbol+', '', 'depth', '__proto__', 'constructor') },
);
const pairs = fc.tuple(names, fc.constantFrom('=', '=', '=', '==', ''), values).map((parts) => parts.join(''));
/** Queries, many of them valid. */
export const drawnQueries = fc
  .tuple(fc.array(pairs, { maxLength: 2, size: 'max' }), fc.constantFrom('&', '&', '&&', ';'), fc.constantFrom('', '', '&'))
  .map(([sent, between, end]) => `?${sent.join(between)}${end}`);
