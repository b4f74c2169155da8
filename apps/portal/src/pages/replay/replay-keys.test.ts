import { replayAction } from './replay-keys';

/** What has the focus, as the selectors that it meets. */
const focus =
  (...kinds: readonly string[]) =>
  (selector: string): boolean =>
    selector.split(', ').some((each) => kinds.includes(each));

test('space plays and pauses, arrows move by a second, brackets by a packet, and other keys do nothing', () => {
  expect([' ', 'ArrowLeft', 'ArrowRight', '[', ']', 'x'].map((key) => replayAction(key, focus()))).toEqual([
    'toggle',
    { seconds: -1 },
    { seconds: 1 },
    { packet: -1 },
    { packet: 1 },
    null,
  ]);
});

test('a key that the focused element needs is left to it', () => {
  expect([replayAction(' ', focus('button')), replayAction(' ', focus('summary'))]).toEqual([null, null]);
  expect(replayAction('ArrowLeft', focus('button'))).toEqual({ seconds: -1 });
  expect([replayAction('ArrowLeft', focus('select')), replayAction('[', focus('textarea'))]).toEqual([null, null]);
});
