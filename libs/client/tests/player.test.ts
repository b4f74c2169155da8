import { playReplay } from '../src/player';
import { clientWith, type Sent } from './fake-fetch';

const event = (kind: string, data: unknown, id = ''): string =>
  `${id === '' ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
const utc = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const plan = (start: number, asOf = 50, symbol = 'A'): string =>
  event('plan', { symbol, start_utc: utc(start), end_utc: utc(40), as_of_utc: utc(asOf), rows_expected: 3, gap_ids: [] });
const row = (at: number): string => event('row', { sequence: at, row: { symbol: 'A' } }, `1-${at}-0`);
const receipt = event('receipt', { status: 'complete', rows_expected: 3 });
const end = event('end', { code: 'complete', resume_id: '1-3-0' });

/** Response that streams these events one by one, then stays open if `isOpen`. */
function stream(events: readonly string[], isOpen = false, onClosed = (): void => undefined) {
  return (_sent: Sent, signal: AbortSignal): Response => {
    const left = [...events];
    return new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) =>
          signal.addEventListener('abort', () => {
            controller.error(signal.reason);
            // Runs after the client has handled the abort.
            setImmediate(onClosed);
          }),
        pull(controller) {
          const next = left.shift();
          if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
          else if (!isOpen) controller.close();
        },
      }),
    );
  };
}

const requested = (sent: Sent | undefined) => {
  const { searchParams } = new URL(sent?.url ?? '');
  return { after: sent?.headers.get('last-event-id') ?? null, ...Object.fromEntries(searchParams) };
};

test('a replay that is paused goes on after the last message had, by the window and the instant of its plan', async () => {
  let connections: number | undefined;
  const goOn = (): void => {
    connections = sent.length;
    player.play();
  };
  const { ms, sent } = clientWith([stream([plan(10), row(1), row(2), row(3)], true, goOn), stream([plan(10), row(3), receipt, end])]);
  const player = playReplay(ms, { symbols: 'A', speed: 10 });
  const had: string[] = [];
  for await (const message of player) {
    had.push(message.type === 'row' ? message.id : message.type);
    if (message.type === 'row' && message.id === '1-2-0') player.pause();
  }
  expect(had).toEqual(['plan', '1-1-0', '1-2-0', '1-3-0', 'receipt', 'end']);
  expect(connections).toBe(1);
  expect(requested(sent[1])).toEqual({ after: '1-2-0', symbol: 'A', speed: '10', start: utc(10), end: utc(40), as_of: utc(50) });
});

test('a seek opens the window from that instant, with a plan of its own, also while it is paused', async () => {
  const goOn = (): void => player.play();
  const { ms, sent } = clientWith([stream([plan(10), row(1)], true, goOn), stream([plan(20), row(2), receipt, end])]);
  const player = playReplay(ms, { symbols: 'A', start: utc(10) });
  const had: string[] = [];
  for await (const message of player) {
    had.push(message.type);
    if (message.type !== 'row' || sent.length > 1) continue;
    player.pause();
    player.seek(utc(20));
  }
  expect(had).toEqual(['plan', 'row', 'plan', 'row', 'receipt', 'end']);
  expect(requested(sent[1])).toMatchObject({ after: null, start: utc(20), end: utc(40) });
});

test('another pace goes on after the last message; several symbols are read as of the latest instant of their plans', async () => {
  const plans = [plan(10, 45, 'A'), plan(10, 55, 'B')];
  const { ms, sent } = clientWith([stream([...plans, row(1)], true), stream([...plans, row(2), receipt, receipt, end])]);
  const player = playReplay(ms, { symbols: ['A', 'B'] });
  const had: string[] = [];
  for await (const message of player) {
    had.push(message.type);
    if (message.type === 'row' && sent.length === 1) player.setSpeed('max');
  }
  expect(had).toEqual(['plan', 'plan', 'row', 'row', 'receipt', 'receipt', 'end']);
  expect(requested(sent[1])).toMatchObject({ after: '1-1-0', symbol: 'A,B', speed: 'max', as_of: utc(55) });
});

test('the signal of its reader ends it, also while it is paused, and leaving the loop closes its connection', async () => {
  const reason = new Error('enough');
  const stop = new AbortController();
  const player = playReplay(
    clientWith([stream([plan(10), row(1)], true, () => stop.abort(reason))]).ms,
    { symbols: 'A' },
    { signal: stop.signal },
  );
  const read = async (): Promise<void> => {
    for await (const message of player) {
      if (message.type === 'row') player.pause();
    }
  };
  await expect(read()).rejects.toBe(reason);
  const { ms, sent } = clientWith([stream([plan(10), row(1)], true)]);
  for await (const message of playReplay(ms, { symbols: 'A' })) if (message.type === 'row') break;
  expect(sent).toHaveLength(1);
});
