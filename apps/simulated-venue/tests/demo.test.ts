import { silentLogger } from '@market-state/logging';
import { demoLoop } from '@market-state/scenarios';
import { type SimulatedVenue, startSimulatedVenue } from '../src/index';
import { connect, EVERYTHING, post, START_MS } from './client';

const ROUND_MS = 20 * 60_000;
let venue: SimulatedVenue;
const reported: unknown[] = [];

beforeEach(async () => {
  reported.length = 0;
  const logger = { ...silentLogger(), info: (facts: unknown) => reported.push(facts) } as unknown as ReturnType<typeof silentLogger>;
  venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed: 1, logger, startMs: START_MS });
});
afterEach(() => venue.close());

test('a venue opens with half a minute of silence about books and trades, then sends both', async () => {
  const { frames, socket } = await connect(venue, ...EVERYTHING);
  venue.advanceTo(START_MS + 30_000);
  await venue.flushed();
  expect([frames('l2Book').length, frames('trades').flatMap(({ data }) => [...data]).length]).toEqual([0, 0]);
  expect((await post(`${venue.restUrl}/info`, { type: 'l2Book', coin: 'SIM' })).body).toBeNull();
  venue.advanceTo(START_MS + 35_000);
  await venue.flushed();
  expect(frames('l2Book').length).toBeGreaterThan(20);
  expect(frames('trades').length).toBeGreaterThan(5);
  socket.terminate();
});

test('it reports when its round began, which restarts after twenty minutes, and logs each episode as it begins', async () => {
  const episodes = demoLoop.map(({ fromMs, name, description }) => ({ from_ms: fromMs, name, description }));
  const round = async (): Promise<unknown> => (await post(`${venue.restUrl}/round`, {})).body;
  expect(await round()).toEqual({ scenario: 'demo', began_ms: START_MS, now_ms: START_MS, episodes });
  venue.advanceTo(START_MS + ROUND_MS + 1_000);
  expect(await round()).toMatchObject({ began_ms: START_MS + ROUND_MS, now_ms: START_MS + ROUND_MS + 1_000 });
  expect(reported).toEqual([...demoLoop, ...demoLoop.slice(0, 1)].map(({ name }) => ({ episode: name })));
});
