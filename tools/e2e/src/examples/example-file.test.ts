import { formatKey, KEY_RANDOM_SIZE_BYTES, parseKey } from '@market-state/credentials';
import { cutAnswer, cutText, masked, fileNameOf } from './example-file';

describe('an example of an answer', () => {
  it('keeps the first items of each list and the requested fields, and reports what was omitted', () => {
    const answer = { rows: [{ levels: [1, 2, 3] }, { levels: [4] }, { levels: [] }], files: { a: 1, b: 2 }, total: 3 };
    expect(cutAnswer(answer, { items: 2, lists: { 'rows.levels': 1 }, keeps: { files: ['b'] } })).toEqual({
      value: { rows: [{ levels: [1] }, { levels: [4] }], files: { b: 2 }, total: 3 },
      left: ['`rows` has 3 items', '`rows.levels` has 3 items', '`files` has 2 fields'],
    });
    expect(cutAnswer(answer, { items: 3, lists: {}, keeps: {} })).toEqual({ value: answer, left: [] });
  });

  it('keeps whole lines at the start of a text', () => {
    expect(cutText('one\ntwo\nthree\n', 9)).toEqual({ value: 'one\ntwo\n…\n', left: ['the text has 14 characters'] });
    expect(cutText('one\n', 9)).toEqual({ value: 'one\n', left: [] });
  });

  it('shows no secret, and of a key only what its record displays', () => {
    const key = formatKey('live', new Uint8Array(KEY_RANDOM_SIZE_BYTES).fill(77));
    const secret = `whsec_${'b'.repeat(43)}=`;
    const factor = 'otpauth://totp/a?secret=NB2W45DFOIZA4YLTMFUWY3DPMNSXG5DS&digits=6';
    const code = 'k3vq-72mn-xw5d-aojh';
    const shown = masked(JSON.stringify({ key, secret, factor, code, route: `/file?expires=1&signature=${'f'.repeat(43)}`, id: 'key_1' }));
    const { key: shownKey, ...rest } = JSON.parse(shown) as Record<string, string>;
    expect([shownKey?.slice(0, 12), shownKey?.slice(-4), parseKey(shownKey ?? '')]).toEqual([key.slice(0, 12), key.slice(-4), null]);
    expect(rest).toEqual({
      secret: `whsec_${'A'.repeat(43)}=`,
      factor: `otpauth://totp/a?secret=${'A'.repeat(32)}&digits=6`,
      code: 'aaaa-aaaa-aaaa-aaaa',
      route: `/file?expires=1&signature=${'0'.repeat(43)}`,
      id: 'key_1',
    });
  });

  it('has a file named after its operation', () => {
    expect(fileNameOf({ operation: 'getL4HistoryRoadmap' })).toBe('get-l4-history-roadmap-200.yaml');
    expect(fileNameOf({ operation: 'getBookL2Latest', status: 206, variant: 'compact' })).toBe('get-book-l2-latest-206-compact.yaml');
  });
});
