import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { openStream } from './stand-in/event-stream';
import { logRow } from './stand-in/row-log';
import { heldBytes } from './stand-in/stream-messages';

const SYMBOL = 'BTCUSD-PERP';
const STREAM = `/api/public/data/stream?symbol=${SYMBOL}`;
const CHANNELS = ['book', 'trades', 'context'] as const;
const MIB = 1_048_576;

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway();
});
afterAll(() => booted.close());

test('a reader that stops reading takes no more memory, however much it misses', async () => {
  let next = 1;
  const slow = await openStream(`${booted.gateway.url}${STREAM}&channels=book,trades`, { 'x-market-state-api-key': booted.key });
  await slow.until((messages) => messages.length > 0);
  slow.pause();
  const { hub, release } = await booted.gateway.streams.hubs.enter(SYMBOL);
  const usedBytes: number[] = [];
  for (let step = 0; step < 8; step += 1) {
    // In parts: gateway and account share this process, and a charge that is not answered in time ends the stream.
    for (let part = 0; part < 20; part += 1) {
      for (let row = 0; row < 200; row += 1, next += 1)
        booted.dataPlane.rows.append({ row: logRow(SYMBOL, next, CHANNELS[next % 3] ?? 'book', 2_000) });
      await letOthersRun();
    }
    const reached = next - 1;
    await booted.until(() => hub.ring.head().ordinal === reached);
    booted.dataPlane.rows.forget(reached - 10);
    usedBytes.push(await heldBytes());
  }
  release();
  const full = usedBytes.slice(3);
  console.info(`memory after each 4,000 rows, MiB: ${usedBytes.map((bytes) => (bytes / MIB).toFixed(1)).join(' ')}`);
  expect(Math.max(...full) - Math.min(...full)).toBeLessThan(8 * MIB);
  slow.cut();
});
