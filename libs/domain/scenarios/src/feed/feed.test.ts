import { Delivery } from './feed';

test('entries come in the order of their receive times, equal ones as they were sent, and not before their time', () => {
  const delivery = new Delivery<string>();
  delivery.send(300, 'c');
  delivery.send(100, 'a');
  delivery.send(250, 'b');
  delivery.send(100, 'a again');
  expect(delivery.receivedBefore(250).map(({ entry }) => entry)).toEqual(['a', 'a again']);
  expect(delivery.receivedBefore(251).map(({ entry }) => entry)).toEqual(['b']);
  expect(delivery.receivedBefore(1_000)).toEqual([{ receivedMs: 300, entry: 'c' }]);
});

test('what is lost never comes', () => {
  const delivery = new Delivery<string>();
  for (const entry of ['a', 'b', 'c']) delivery.send(100, entry);
  delivery.lose((entry) => entry === 'b');
  expect(delivery.receivedBefore(200).map(({ entry }) => entry)).toEqual(['a', 'c']);
  delivery.send(300, 'd');
  delivery.lose();
  expect(delivery.receivedBefore(1_000)).toEqual([]);
});
