import { type Fetch, queued } from './call-queue';

const BASE = 'https://service.example/api/public';

/** A fetch whose calls end on request. */
function heldFetch() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const send = queued((async (target: URL | string) => {
    started.push(new URL(target).pathname);
    await new Promise<void>((end) => ends.push(end));
    return new Response();
  }) as Fetch);
  return { send, started, end: (index: number) => ends[index]?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('calls beyond the in-flight weight of the smallest plan wait, and start in order', async () => {
  const { send, started, end } = heldFetch();
  const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => send(`${BASE}/${name}`));
  await settled();
  expect(started).toHaveLength(5);
  end(0);
  await calls[0];
  await settled();
  expect(started.at(-1)).toBe('/api/public/f');
  for (let index = 1; index < 7; index += 1) {
    end(index);
    await settled();
  }
  await expect(Promise.all(calls)).resolves.toHaveLength(7);
});

test('a list heavier than the limit runs alone, and a stream never waits', async () => {
  const { send, started } = heldFetch();
  void send(`${BASE}/market-state/history?limit=1000`);
  void send(`${BASE}/next`);
  void send(`${BASE}/stream`, { headers: { accept: 'text/event-stream' } });
  await settled();
  expect(started.sort()).toEqual(['/api/public/market-state/history', '/api/public/stream']);
});

test('a failed call frees its place', async () => {
  const send = queued(() => Promise.reject(new Error('offline')));
  for (let call = 0; call < 9; call += 1) await expect(send(`${BASE}/any`)).rejects.toThrow('offline');
});
