import { type CheckedAnswer, checkLines } from './check-lines';

type Outcome = 'holds' | 'broken' | 'not_checked';

function checked(outcomes: readonly [body: Outcome, maker: Outcome, derivation: Outcome], packetTotal = 24) {
  const [body, maker, derivation] = outcomes.map((outcome) => ({ outcome, packetTotal: outcome === 'holds' ? 25 : packetTotal }));
  const check = { body, maker, derivation, packetTotal: 25, entryTotal: 4_321, checkpointMs: null } as unknown as CheckedAnswer['check'];
  return { answer: { type: 'checked', check, tradeTotal: 9, moved: null } as CheckedAnswer, tookMs: 812.4 };
}

const marks = (...given: Parameters<typeof checkLines>): readonly string[] => checkLines(...given).map(({ mark }) => mark);

test('no check is ticked before it ran', () => {
  expect(checkLines(null, 'sample', 'not checked yet').map(({ mark, words }) => [mark, words])).toEqual(
    Array(3).fill(['open', 'not checked yet']),
  );
});

test('a passed check is ticked and shows what was read', () => {
  expect(marks(checked(['holds', 'holds', 'holds']), 'published', '')).toEqual(['yes', 'yes', 'yes']);
  expect(checkLines(checked(['holds', 'holds', 'holds']), 'published', '')[2]?.words).toBe(
    '25 packets linked, 4,321 entries read, 812 ms: identical bytes',
  );
});

test('one packet is counted as one', () => {
  const one = checked(['holds', 'holds', 'holds']);
  const answer = { ...one.answer, check: { ...one.answer.check, packetTotal: 1 } };
  expect(checkLines({ ...one, answer }, 'published', '').map(({ words }) => words)).toEqual([
    '1 packet matches its digest',
    '1 signature is valid for a published key',
    '1 packet linked, 4,321 entries read, 812 ms: identical bytes',
  ]);
});

test('signatures with a public key never count as proof of who signed', () => {
  const [, maker] = checkLines(checked(['holds', 'holds', 'holds']), 'sample', '');
  expect(maker?.words).toContain("don't prove who signed");
  expect(maker?.detail).toContain('anyone could have done it');
});

test('a failed check is crossed, and a skipped one stays open', () => {
  expect(marks(checked(['broken', 'not_checked', 'broken']), 'published', '')).toEqual(['no', 'open', 'no']);
  const lines = checkLines(checked(['broken', 'broken', 'broken']), 'published', '');
  expect(lines.map(({ words }) => words)).toEqual([
    '1 of 25 packets do not match their digests',
    '1 of 25 signatures do not match such a key',
    '24 of 25 packets identical, 4,321 entries read, 812 ms',
  ]);
});
