import { SYMBOL } from './log-fixture';
import { startDataPlaneSystem, type System } from './rpc-harness';
import { fullMarket, WINDOW_MS } from './window-fixture';

let system: System;
beforeAll(async () => {
  system = await startDataPlaneSystem();
  await system.play(fullMarket());
});
afterAll(() => system.close());

test('a paced replay of a moment takes as long as the moment did, divided by the speed', async () => {
  const startedMs = performance.now();
  let rows = 0;
  const moment = { startMs: WINDOW_MS, endMs: WINDOW_MS + 2_000, channels: ['book'], asOfMs: 0, speed: 5, after: undefined, further: [] };
  for await (const { frame } of system.call.streamReplay({ symbol: SYMBOL, ...moment }))
    if (frame?.$case === 'rows') rows += frame.value.rows.length;
  expect(rows).toBeGreaterThan(5);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(300);
});
