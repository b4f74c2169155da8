import { answerText } from './answer-text';

test('JSON is indented, and text stays unchanged', () => {
  expect(answerText({ state: 'depth_watch', rows: [] })).toEqual({
    whole: '{\n  "state": "depth_watch",\n  "rows": []\n}',
    shown: '{\n  "state": "depth_watch",\n  "rows": []\n}',
    isCut: false,
    extension: 'json',
  });
  expect(answerText('a,b\n1,2\n')).toMatchObject({ shown: 'a,b\n1,2\n', extension: 'txt' });
});

test('a long response is truncated on the page but saved in full', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => at);
  const { whole, shown, isCut } = answerText(rows);
  expect([isCut, shown.length]).toEqual([true, 60_000]);
  expect(whole.startsWith(shown)).toBe(true);
  expect(JSON.parse(whole)).toEqual(rows);
});
