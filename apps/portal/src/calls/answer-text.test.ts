import { answerText } from './answer-text';

test('JSON has its fields under each other, and a text stays as it is', () => {
  expect(answerText({ state: 'depth_watch', rows: [] })).toEqual({
    whole: '{\n  "state": "depth_watch",\n  "rows": []\n}',
    shown: '{\n  "state": "depth_watch",\n  "rows": []\n}',
    isCut: false,
    extension: 'json',
  });
  expect(answerText('a,b\n1,2\n')).toMatchObject({ shown: 'a,b\n1,2\n', extension: 'txt' });
});

test('of a long answer the first part is shown, and all of it is there to save', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => at);
  const { whole, shown, isCut } = answerText(rows);
  expect([isCut, shown.length]).toEqual([true, 60_000]);
  expect(whole.startsWith(shown)).toBe(true);
  expect(JSON.parse(whole)).toEqual(rows);
});
