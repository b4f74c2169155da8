import fc from 'fast-check';
import type { Notice } from './notice';
import { type Markup, titleOf, writeText } from './write-text';

const markup = (lengthMax: number): Markup => ({
  escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  bold: (text) => `<b>${text}</b>`,
  link: (label, url) => `<a href="${url}">${label}</a>`,
  lengthMax,
});

const noticeOf = (title: string, createdMs: number, symbol = 'BTCUSD-PERP'): Notice => ({
  messageId: 'msg_1',
  eventKind: 'alert.triggered',
  createdMs,
  title,
  facts: [['Condition', 'a < b & c']],
  link: { label: 'Open this window', url: 'https://market-state.example/replay' },
  tone: 'triggered',
  episodeId: 'ep_1',
  symbol,
  severityClass: '',
});

test('a list is oldest first, and names how many it leaves out', () => {
  const notices = Array.from({ length: 25 }, (_, index) => noticeOf(`rule ${index}`, Date.UTC(2026, 0, 1, 12, 0, 24 - index)));
  const lines = writeText(notices, markup(10_000)).split('\n');
  expect(lines.slice(0, 3)).toEqual([
    '<b>25 messages about BTCUSD-PERP</b>',
    '2026-01-01 12:00:00 to 12:00:24 UTC',
    '12:00:00 rule 24 <a href="https://market-state.example/replay">open</a>',
  ]);
  expect(lines.at(-2)).toBe('and 5 more messages: the list of deliveries has all of them');
});

test.each([
  [['A'], '2 messages about A'],
  [['A', 'B'], '2 messages about A, B'],
  [['A', 'B', 'C', 'D'], '4 messages about A, B, C and others'],
  [[''], '2 messages'],
])('a digest about %j has the title %s', (symbols, title) => {
  const notices = (symbols.length === 1 ? [...symbols, ...symbols] : symbols).map((symbol) => noticeOf('x', 1, symbol));
  expect(titleOf(notices)).toBe(title);
});

test('no text is longer than its destination accepts, and none ends inside its markup', () => {
  const notice = fc.record({
    title: fc.string({ minLength: 1, maxLength: 300 }),
    createdMs: fc.integer({ min: 0, max: 2_000_000_000_000 }),
  });
  const notices = fc.array(notice, { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(notices, fc.integer({ min: 2_000, max: 5_000 }), (given, lengthMax) => {
      const text = writeText(
        given.map(({ title, createdMs }) => noticeOf(title.replaceAll(/\s/g, ' '), createdMs)),
        markup(lengthMax),
      );
      const count = (part: string): number => text.split(part).length - 1;
      return text.length <= lengthMax && count('<b>') === count('</b>') && count('<a href') === count('</a>') && text !== '';
    }),
  );
});
