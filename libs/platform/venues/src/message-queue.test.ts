import { MessageQueue } from './message-queue';
import type { RawMessage } from './venue-source';

function raw(text: string): RawMessage {
  return { receivedMs: 0, receivedNs: '0', text };
}

function queueOf(limit: number): { queue: MessageQueue; valve: string[] } {
  const valve: string[] = [];
  return { queue: new MessageQueue(limit, { pause: () => valve.push('pause'), resume: () => valve.push('resume') }), valve };
}

const BTC = { instrument: 'BTC', stream: 'l2Book' };

test('messages come out in the order they came in', () => {
  const { queue } = queueOf(10);
  for (const text of ['a', 'b', 'c']) queue.push(raw(text), undefined);
  expect(queue.take()).toEqual({ messages: ['a', 'b', 'c'].map(raw) });
  expect(queue.take()).toBeUndefined();
});

test('a full queue lets go of books that a newer one of their stream follows, says how many, and keeps every trade', () => {
  const { queue, valve } = queueOf(6);
  queue.push(raw('book 1'), BTC);
  queue.push(raw('trade 1'), undefined);
  queue.push(raw('best 1'), { instrument: 'BTC', stream: 'bbo' });
  queue.push(raw('book 2'), BTC);
  queue.push(raw('trade 2'), undefined);
  queue.push(raw('book 3'), BTC);
  expect(valve).toEqual([]);
  const batch = queue.take();
  expect(batch?.messages.map(({ text }) => text)).toEqual(['trade 1', 'best 1', 'trade 2', 'book 3']);
  expect(batch?.overflow).toEqual({ collapsedBooks: { BTC: 2 } });
  queue.push(raw('book 4'), BTC);
  expect(queue.take()).toEqual({ messages: [raw('book 4')] });
});

test('a queue full of trades stops the socket, loses none, and goes on when half of it was read', () => {
  const { queue, valve } = queueOf(1_200);
  for (let index = 0; index < 1_300; index++) queue.push(raw(String(index)), undefined);
  expect(valve).toEqual(['pause']);
  const first = queue.take();
  expect(first?.messages).toHaveLength(1_000);
  expect(valve).toEqual(['pause', 'resume']);
  expect([...(first?.messages ?? []), ...(queue.take()?.messages ?? [])].map(({ text }) => Number(text))).toEqual(
    Array.from({ length: 1_300 }, (_, index) => index),
  );
});

test('a waiting reader is woken by a message', async () => {
  const { queue } = queueOf(10);
  const changed = queue.changed();
  queue.push(raw('a'), undefined);
  await changed;
  expect(queue.length).toBe(1);
});
