import type { ReceivedSpan } from '@market-state/otlp-receiver';
import { chosenFaults, isByChance } from './trace-suite';

const span = (spanId: string, kind: number, more: Partial<ReceivedSpan> = {}): ReceivedSpan => ({
  service: 'account',
  name: spanId,
  traceId: 't',
  spanId,
  kind,
  failed: false,
  attributes: {},
  ...more,
});
const whole = [span('a', 2, { service: 'gateway' }), span('b', 3, { parentSpanId: 'a' }), span('c', 2, { parentSpanId: 'b' })];

test.each([
  ['a complete trace', whole, []],
  ['one with an unserved call', whole.slice(0, 2), ['t: b was not served.']],
  ['one with a gap', [...whole.slice(0, 1), ...whole.slice(2)], ['t: the parent of c is missing.']],
  ['one without its start', whole.slice(1), ['t: the parent of b is missing.', 't has 0 first spans.']],
  ['one that starts elsewhere', [span('a', 2)], ['t has 1 first spans.']],
])('judges %s', (_what, spans, faults) => expect(chosenFaults(spans, ['t'])).toEqual(faults));

test.each([
  [30, true],
  [51, true],
  [52, false],
  [8, false],
])('%i of 3,000 traces at one in a hundred: by chance %s', (chosen, expected) => expect(isByChance(chosen, 3_000, 0.01)).toBe(expected));
