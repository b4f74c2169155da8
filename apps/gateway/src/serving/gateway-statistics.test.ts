import { silentLogger } from '@market-state/logging';
import { createHandOn, latencyCalls, type WaitingMinute } from './gateway-statistics';

interface Minute {
  readonly minuteMs: number;
}
type Waiting = WaitingMinute<Minute>;

const MINUTE_MS = 60_000;

function handOnTo(send: (waiting: readonly Waiting[]) => Promise<unknown>) {
  const reported: number[] = [];
  const handOn = createHandOn<Minute>({
    what: 'reads',
    send,
    sinceMs: 30_000,
    logger: silentLogger(),
    onWaiting: (minutes) => reported.push(minutes),
  });
  return { reported, add: (minute: number) => handOn.add({ minuteMs: minute * MINUTE_MS }) };
}

test('unacknowledged minutes are sent again, oldest first, and the queue length is reported', async () => {
  const sent: (readonly Waiting[])[] = [];
  let isAway = true;
  const { reported, add } = handOnTo(async (waiting) => {
    sent.push(waiting);
    if (isAway) throw new Error('away');
  });
  await add(0);
  await add(1);
  isAway = false;
  await add(2);
  expect(reported).toEqual([1, 2, 0]);
  expect(sent.at(-1)).toEqual([
    { minute: { minuteMs: 0 }, sinceMs: 30_000 },
    { minute: { minuteMs: MINUTE_MS }, sinceMs: undefined },
    { minute: { minuteMs: 2 * MINUTE_MS }, sinceMs: undefined },
  ]);
});

test('of more than an hour the oldest are lost, and the first that is left says since when it counts', async () => {
  let sent: readonly Waiting[] = [];
  const { reported, add } = handOnTo(async (waiting) => {
    sent = waiting;
    throw new Error('away');
  });
  for (let minute = 0; minute < 62; minute += 1) await add(minute);
  expect(reported.at(-1)).toBe(60);
  expect(sent).toHaveLength(60);
  expect(sent[0]).toEqual({ minute: { minuteMs: 2 * MINUTE_MS }, sinceMs: 2 * MINUTE_MS });
});

test('an hour of 200 symbols is sent in calls that labeling accepts', () => {
  const latencies = new Map(
    Array.from({ length: 200 }, (_, at) => [`S${at}USD-PERP`, { packetToGateway: [at], closingTickToGateway: [] }]),
  );
  const waiting = Array.from({ length: 60 }, (_, minute) => ({ minute: { minuteMs: minute * MINUTE_MS, latencies }, sinceMs: undefined }));
  const calls = latencyCalls(waiting);
  expect(calls.map(({ length }) => length)).toEqual([10_000, 2_000]);
  expect(new Set(calls.flat().map(({ symbol, minuteMs }) => `${symbol} ${minuteMs}`)).size).toBe(12_000);
  expect(latencyCalls([])).toEqual([]);
});
