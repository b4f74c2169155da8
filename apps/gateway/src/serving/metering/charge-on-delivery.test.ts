import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { chargeOnDelivery } from './charge-on-delivery';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** An answer that was ended: `on` is what it goes out on, null while another answer of the connection is before it. */
function endedAnswer({ isFirst }: { readonly isFirst: boolean }) {
  const events = new EventEmitter();
  const socket = Object.assign(events, {
    writable: true,
    destroyed: false,
    errored: null,
    destroy: jest.fn(() => void events.emit('close')),
  });
  const res = Object.assign(new EventEmitter(), { socket: isFirst ? socket : null, writableLength: 1 });
  const done: string[] = [];
  chargeOnDelivery(
    { post: () => done.push('charged'), cancel: () => done.push('free') },
    { socket } as unknown as IncomingMessage,
    res as unknown as ServerResponse,
  );
  return { socket, res, done };
}

test('an answer that is taken slowly is charged after 20 s', () => {
  const { socket, done } = endedAnswer({ isFirst: true });
  jest.advanceTimersByTime(19_999);
  expect(done).toEqual([]);
  jest.advanceTimersByTime(1);
  expect([done, socket.destroy.mock.calls.length]).toEqual([['charged'], 0]);
});

test('an answer of which nothing could go out in 20 s is not charged, and its connection ends', () => {
  const { socket, done } = endedAnswer({ isFirst: false });
  jest.advanceTimersByTime(20_000);
  expect([done, socket.destroy.mock.calls.length]).toEqual([['free'], 1]);
});

test('an answer whose turn came is charged when it is out', () => {
  const { res, done } = endedAnswer({ isFirst: false });
  res.emit('finish');
  jest.advanceTimersByTime(20_000);
  expect(done).toEqual(['charged']);
});
