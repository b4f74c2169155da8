import { misbehave, readMisbehaviour } from './settings';

const noFault = (sentence: string): void => {
  throw new Error(sentence);
};

test('each failure has its share of all deliveries, and the rest is taken', () => {
  const misbehaviour = readMisbehaviour('500:30%,hang:10%', noFault);
  const drawn = Array.from({ length: 100 }, (_, index) => misbehave(misbehaviour, index / 100 + 0.005));
  expect(drawn.map((each) => each ?? 'taken')).toEqual([...Array(30).fill(500), ...Array(10).fill('hang'), ...Array(60).fill('taken')]);
});

test('nothing fails unless it is asked to', () => {
  expect(misbehave(readMisbehaviour('', noFault), 0)).toBeUndefined();
});
