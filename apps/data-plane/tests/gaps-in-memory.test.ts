import { marketData } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testPeer, waitUntil } from '@market-state/testing';
import { watchLedger, type RecordedWatch, startRecordedWatch } from '../src/market/recorded-watch';
import { startTail } from '../src/market/tail';
import { readRecentMarket } from '../src/store/recent-market';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { startDataPlaneSystem, type System } from './rpc-harness';

const DAY_MS = 86_400_000;

let system: System;
let fixture: LogFixture;

beforeEach(async () => {
  system = await startDataPlaneSystem();
  fixture = new LogFixture().connected(START_MS).book(START_MS + 100, '1', '100', '101');
});

afterEach(() => system.close());

/** Client of a second process that starts now. */
async function restarted() {
  const again = await system.restartDataPlane();
  return createClient({ definition: marketData.MarketDataServiceService, peer: testPeer('data-plane'), address: again.address });
}

function openGap(gapId: string, startMs: number): LogFixture {
  return fixture.status(startMs + 10, { type: 'gap', gapId, channel: 'book', startMs, endMs: 0, reason: 'sequence_gap' });
}

test('a gap that only the ledger ends is not open again after a restart', async () => {
  openGap('gap_book', START_MS + 200);
  const down = { gapId: 'gap_down', startMs: START_MS + 300, endMs: START_MS + 5_000 } as const;
  await system.play(fixture.status(START_MS + 5_000, { type: 'gap', reason: 'feed_down', ...down }).tick(START_MS + 5_250));
  const { call, close } = await restarted();
  const laterMs = START_MS + 2 * DAY_MS;
  await system.play(fixture.tick(laterMs));
  await waitUntil('the tick', async () => (await call.getFreshness({ symbol: SYMBOL })).feedClockMs >= laterMs);
  expect((await call.getFreshness({ symbol: SYMBOL })).channels.map(({ gapTotal24h }) => gapTotal24h)).toEqual([0, 0, 0, 0]);
  await close();
});

test('while the recorder is away, the ledger does not open a gap that the log ended', async () => {
  const { pool, log, recorder } = system;
  await system.play(openGap('gap_book', START_MS + 200).tick(START_MS + 250));
  const logger = silentLogger();
  const tail = startTail({ log, logger, wallNowMs: Date.now, readRecent: (symbol) => readRecentMarket(pool, symbol) }, [SYMBOL]);
  await tail.whenReady;
  const real = startRecordedWatch(pool);
  const waits: (number | undefined)[] = [];
  const recorded: RecordedWatch = {
    ...real,
    async past(symbol, ordinal, _timeoutMs, signal) {
      const reached = await real.past(symbol, ordinal, 20, signal);
      waits.push(reached);
      return reached;
    },
  };
  let reads = 0;
  tail.listen(SYMBOL, { onEntries: () => undefined, onGaps: () => (reads += 1) });
  const watch = watchLedger({ pool, tail, recorded, logger });
  await recorder.close();
  await log.append(
    SYMBOL,
    fixture
      .status(START_MS + 900, { type: 'resynced', gapId: 'gap_book', channel: 'book', startMs: START_MS + 200, endMs: START_MS + 800 })
      .take(),
  );
  await waitUntil('a wait in vain', async () => waits.length > 0);
  await pool.query(`UPDATE gap SET end_ms = $1, resolution = 'resynced'`, [START_MS + 800]);
  await pool.query(`INSERT INTO gap_telling VALUES ('gap_book', $1, $2, 'resynced')`, [START_MS + 905, START_MS + 800]);
  await pool.query('UPDATE consumer_position SET ordinal = ordinal + 1');
  await waitUntil('the ledger read', async () => reads > 0);
  expect(waits[0]).toBeUndefined();
  expect(tail.marketOf(SYMBOL).gaps.all()).toMatchObject([{ gapId: 'gap_book', endMs: START_MS + 800 }]);
  await watch.close();
  await real.close();
  await tail.close();
});

test('a process starts although an entry of the log cannot be read', async () => {
  await system.play(fixture.trade(START_MS + 200, '1', '100', '1').tick(START_MS + 250));
  const unreadable = { epoch: 1, ordinal: 6, payload: Buffer.from('of a later release') };
  await system.log.append(SYMBOL, [unreadable]);
  const { call, close } = await restarted();
  expect((await call.listTrades({ symbol: SYMBOL, limit: 10 })).trades).toHaveLength(1);
  await close();
});
