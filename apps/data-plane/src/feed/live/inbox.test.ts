import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createInbox, type InboxItem } from './inbox';

const ITEMS_MAX = 10_000;
const item: InboxItem = { type: 'overflow', atMs: 1 };

async function filledInbox(signal: AbortSignal) {
  const inbox = createInbox();
  for (let count = 0; count < ITEMS_MAX; count += 1) await inbox.put(item, signal);
  return inbox;
}

test('a reader that looks again and again at an empty inbox leaves nothing behind, and is woken by what comes', async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const inbox = createInbox();
  const looked = Array.from({ length: 100 }, () => new WeakRef(inbox.filled()));
  const filled = inbox.filled();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(looked.filter((promise) => promise.deref() !== undefined)).toEqual([]);
  await inbox.put(item, new AbortController().signal);
  await filled;
  expect(inbox.take()).toEqual([item]);
});

test('what does not fit waits until something is taken, and then leaves nothing on the signal', async () => {
  const { signal } = new AbortController();
  const inbox = await filledInbox(signal);
  let isIn = false;
  const putting = inbox.put(item, signal).then(() => (isIn = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([isIn, inbox.size, getEventListeners(signal, 'abort').length]).toEqual([false, ITEMS_MAX, 1]);
  expect(inbox.take()).toHaveLength(ITEMS_MAX);
  await putting;
  expect([inbox.size, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
});

test('a writer that waits for space is released when the feed stops', async () => {
  const stop = new AbortController();
  const inbox = await filledInbox(stop.signal);
  const putting = inbox.put(item, stop.signal);
  stop.abort();
  await expect(putting).resolves.toBeUndefined();
});
