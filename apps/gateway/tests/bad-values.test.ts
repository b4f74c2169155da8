import { loadPolicy } from '@market-state/labeler';
import type { FaultItem } from '../src/serving/errors/problem';
import { operationById } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const STATE = '/api/public/market-state';
const DATA = '/api/public/data';
const SYMBOL = 'BTCUSD-PERP';
/** A feed ahead of the wall clock. */
const AHEAD = 'ETHUSD-PERP';
const AHEAD_MS = 3_600_000;

const nowMs = lastWindowEndMs() + 5_000;
const aheadEndMs = lastWindowEndMs(nowMs) + AHEAD_MS;

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway({ now: () => nowMs });
  booted.labeling.push(packetRecord(AHEAD, aheadEndMs));
  await booted.until(async () => (await booted.keyed(`${STATE}/latest?symbol=${AHEAD}`)).text.includes(`_${aheadEndMs}`));
});
afterAll(() => booted.close());

/** Faults of a refused call, which costs nothing. */
async function refused(path: string): Promise<readonly FaultItem[]> {
  const response = await booted.keyed(path);
  expect([path, response.status, response.headers['x-credits-charged']]).toEqual([path, 422, '0']);
  return response.json<{ readonly detail: readonly FaultItem[] }>().detail;
}

it.each([
  ['history', 'state=pressure_bulding', 'state'],
  ['history', 'event_class=none', 'event_class'],
  ['events/search', 'state=PRESSURE_BUILDING', 'state'],
  ['events/search', 'event_class=crowding', 'event_class'],
  ['events/search', 'event_profile=crowd', 'event_profile'],
  ['events/search', 'tag=presure:bid_watch:hot', 'tag'],
  ['events/search', 'tag=pressure:bid_watch:hot&tag=mood:good:hot', 'tag'],
])('%s refuses %s, free, and names what there is', async (route, query, parameter) => {
  const [fault, ...others] = await refused(`${STATE}/${route}?symbol=${SYMBOL}&${query}`);
  expect([fault?.loc, others]).toEqual([['query', parameter], []]);
  expect(fault?.msg).toContain(parameter === 'tag' ? 'families are pressure, depth, flow' : 'allowed values');
});

it.each([
  ['state', 'states'],
  ['event_class', 'event_classes'],
  ['event_profile', 'event_profiles'],
])('the document lists for %s exactly the words that packets hold', (parameter, kind) => {
  const words = [...(loadPolicy().taxonomy.kinds.get(kind)?.keys() ?? [])];
  for (const operationId of ['listHistory', 'searchEvents']) {
    const found = operationById(operationId).parameters.find(({ name }) => name === parameter);
    if (found !== undefined) expect(found.schema['enum']).toEqual(['', ...words]);
  }
});

it.each([
  [`${STATE}/history?`, 'from'],
  [`${STATE}/events/search?`, 'from'],
  [`${STATE}/labels/stability?`, 'from'],
  [`${DATA}/candles?`, 'from'],
  [`${DATA}/gaps?`, 'from'],
  [`${DATA}/replay/window?`, 'start'],
  [`${DATA}/stream/replay?`, 'start'],
])('%s refuses a span that lies wholly in the future, free', async (path, first) => {
  const last = first === 'from' ? 'to' : 'end';
  for (const end of ['', `&${last}=${nowMs + 3_600_000}`]) {
    const [fault, ...others] = await refused(`${path}symbol=${SYMBOL}&${first}=${nowMs + 60_000}${end}`);
    expect([fault, others]).toEqual([{ loc: ['query', first], msg: 'must not be in the future', type: 'in_the_future' }, []]);
  }
});

it('the future begins after the newest window known of the symbol, where its feed is ahead of the wall clock', async () => {
  const path = `${STATE}/history?symbol=${AHEAD}&from=`;
  expect((await booted.keyed(`${path}${nowMs + 60_000}`)).status).toBe(200);
  expect((await booted.keyed(`${path}${aheadEndMs}`)).status).toBe(200);
  await refused(`${path}${aheadEndMs + 1}`);
  expect((await booted.keyed(`${STATE}/events/search?symbol=ALL&from=${aheadEndMs}`)).status).toBe(200);
});

it.each([
  [`${STATE}/labels/stability?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z`, '31 days'],
  [`${DATA}/replay/window?start=2026-01-01T00:00:00Z&end=2026-01-01T01:00:01Z`, '1 hour'],
  [`${DATA}/stream/replay?start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:01Z`, '1 day'],
])('reports the limit of %s in readable units', async (path, bound) => {
  const [fault] = await refused(path);
  expect(fault?.msg).toBe(`must be at most ${bound} after ${path.includes('from') ? 'from' : 'start'}`);
});
