import { marketData } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { testPeer, waitUntil } from '@market-state/testing';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';

let system: System;
const fixture = new LogFixture();

beforeAll(async () => {
  system = await startDataPlaneSystem();
});

afterAll(() => system.close());

test('a venue without context and liquidations is distinguished from one that reports nothing', async () => {
  await system.play(fixture.connected(START_MS).tick(START_MS));
  const none = { value: '', asOfMs: 0 };
  expect(await system.call.getActiveAsset({ symbol: SYMBOL })).toMatchObject({
    reported: false,
    fundingRate: none,
    fundingIntervalHours: 0,
    openInterestUsd: none,
    basisBps: none,
  });
  expect(await system.call.getLiquidations({ symbol: SYMBOL, windowSeconds: 30 })).toMatchObject({
    reported: false,
    rows: [],
    eventTotal: 0,
    largest: undefined,
  });
});

test('each value of the context is as it was sent, to the last digit, as of its own time', async () => {
  await system.play(
    fixture
      .connected(START_MS + 10, ['book', 'trade', 'context', 'liquidation'])
      .context(START_MS + 100, {
        fundingRate: '0.0000125',
        openInterest: '12345.67800',
        markPrice: '100.50',
        oraclePrice: '100.0',
        dayVolume: '9000000.10',
      })
      .context(START_MS + 200, { markPrice: '101.10' })
      .context(START_MS + 150, { markPrice: '99', oraclePrice: '100.2' })
      .tick(START_MS + 250),
  );
  const asset = await system.call.getActiveAsset({ symbol: SYMBOL });
  expect(asset).toMatchObject({
    reported: true,
    fundingRate: { value: '0.0000125', asOfMs: START_MS + 100 },
    fundingIntervalHours: 1,
    openInterest: { value: '12345.67800', asOfMs: START_MS + 100 },
    openInterestUsd: { value: '1248148.0458', asOfMs: START_MS + 100 },
    markPrice: { value: '101.10', asOfMs: START_MS + 200 },
    oraclePrice: { value: '100.2', asOfMs: START_MS + 150 },
    basisBps: { value: '89.8204', asOfMs: START_MS + 150 },
    dayVolumeUsd: { value: '9000000.10', asOfMs: START_MS + 100 },
    stalenessLimitMs: 120_000,
  });
  expect(asset.freshnessMs).toBe(asset.feedClockMs - START_MS - 200);
});

test('a rate paid every eight hours is served as it was sent, not by the hour', async () => {
  await system.play(
    fixture
      .context(START_MS + 300, { fundingRate: '0.0000125', venueFundingRate: '0.00010000', fundingIntervalHours: 8 })
      .tick(START_MS + 500),
  );
  expect(await system.call.getActiveAsset({ symbol: SYMBOL })).toMatchObject({
    fundingRate: { value: '0.00010000', asOfMs: START_MS + 300 },
    fundingIntervalHours: 8,
  });
});

test('liquidations of a window are counted with their exact notional, contracts by their value', async () => {
  const long = { positionSide: 'long', provenance: 'venue_reported' } as const;
  const short = { positionSide: 'short', provenance: 'proxy' } as const;
  await system.play(
    fixture
      .liquidation(START_MS + 1_000, 'a', { ...long, price: '100.1', size: '2' })
      .liquidation(START_MS + 60_000, 'b', { ...long, price: '3', size: '0.1', venueSize: '7' })
      .liquidation(START_MS + 60_000, 'b', { ...long, price: '3', size: '0.1', venueSize: '7' })
      .liquidation(START_MS + 59_000, '', { ...short, price: '0.3', size: '0.1' })
      .tick(START_MS + 80_000),
  );
  const whole = await system.call.getLiquidations({ symbol: SYMBOL, windowSeconds: 3_600 });
  expect(whole).toMatchObject({
    reported: true,
    eventTotal: 3,
    longNotional: '900.2',
    shortNotional: '0.03',
    largest: { liquidationId: '1:b', pass: 1, venueId: 'b', notional: '700' },
  });
  expect(
    whole.rows.map(({ liquidationId, venueId, notional, positionSide, provenance }) => [
      liquidationId,
      venueId,
      notional,
      positionSide,
      provenance,
    ]),
  ).toEqual([
    ['1:b', 'b', '700', marketData.PositionSide.LONG, marketData.LiquidationProvenance.VENUE_REPORTED],
    [expect.stringMatching(/^log:\d+$/), '', '0.03', marketData.PositionSide.SHORT, marketData.LiquidationProvenance.PROXY],
    ['1:a', 'a', '200.2', marketData.PositionSide.LONG, marketData.LiquidationProvenance.VENUE_REPORTED],
  ]);
  const recent = await system.call.getLiquidations({ symbol: SYMBOL, windowSeconds: 30 });
  expect([recent.eventTotal, recent.longNotional]).toEqual([2, '700']);
});

test('what is older than the log keeps is read from the rows when the process starts', async () => {
  const lastId = await system.log.lastId(SYMBOL);
  if (lastId !== undefined) await system.log.trim(SYMBOL, lastId);
  const before = {
    asset: await system.call.getActiveAsset({ symbol: SYMBOL }),
    liquidations: await system.call.getLiquidations({ symbol: SYMBOL, windowSeconds: 3_600 }),
  };
  const again = await system.restartDataPlane();
  const client = createClient({ definition: marketData.MarketDataServiceService, peer: testPeer('data-plane'), address: again.address });
  const { openInterest, markPrice, fundingRate } = await client.call.getActiveAsset({ symbol: SYMBOL });
  expect([openInterest, markPrice, fundingRate]).toEqual([before.asset.openInterest, before.asset.markPrice, before.asset.fundingRate]);
  expect(await client.call.getLiquidations({ symbol: SYMBOL, windowSeconds: 3_600 })).toMatchObject({
    eventTotal: 3,
    rows: before.liquidations.rows,
  });
  await client.close();
});

test('the catalog counts rows as they were written, and states what the venue reports', async () => {
  const { symbols, storage } = await system.call.getCatalog({ asOfMs: 0 });
  const [kept] = symbols;
  expect(kept).toMatchObject({
    symbol: SYMBOL,
    venue: 'binance-coinm',
    venueInstrument: 'BTCUSD_PERP',
    sourceKind: marketData.SourceKind.RECORDED,
  });
  const channels = Object.fromEntries((kept?.channels ?? []).map((channel) => [channel.channel, channel]));
  expect(Object.keys(channels)).toEqual(['book', 'trades', 'context', 'liquidations', 'control']);
  expect(channels['context']).toMatchObject({
    reported: true,
    rowTotal: 4,
    firstMs: START_MS + 100,
    lastMs: START_MS + 300,
    archiveHourTotal: 0,
    stalenessLimitMs: 120_000,
  });
  expect(channels['liquidations']).toMatchObject({ reported: true, rowTotal: 3, firstMs: START_MS + 1_000, lastMs: START_MS + 60_000 });
  expect(channels['book']).toMatchObject({ reported: true, rowTotal: 0, firstMs: 0, lastMs: 0 });
  expect(storage).toMatchObject({ hotDays: 3, archiveDays: 30, daysLeft: undefined });
});

test('the catalog as of an instant counts the rows received until then', async () => {
  const { symbols } = await system.call.getCatalog({ asOfMs: START_MS + 59_500 });
  const totals = Object.fromEntries((symbols[0]?.channels ?? []).map(({ channel, rowTotal, lastMs }) => [channel, [rowTotal, lastMs]]));
  expect(totals['context']).toEqual([4, START_MS + 300]);
  expect(totals['liquidations']?.[0]).toBe(1);
  const early = await system.call.getCatalog({ asOfMs: START_MS - 3_600_000 });
  expect(early.symbols[0]?.channels.map(({ rowTotal }) => rowTotal)).toEqual([0, 0, 0, 0, 0]);
});

test('rights name every feature class, and none may be passed on', async () => {
  const { featureClasses } = await system.call.getRights({});
  expect(featureClasses.map(({ featureClass }) => featureClass)).toEqual([
    'book',
    'trades',
    'candles',
    'context',
    'liquidations',
    'control',
    'gaps',
    'packets',
  ]);
  for (const { allowedUses, redistribution, hotDays, archiveDays } of featureClasses) {
    expect([allowedUses.length > 0, redistribution, hotDays, archiveDays]).toEqual([true, 'not_included_by_default', 3, 30]);
  }
});

test('every fault of a request is named', async () => {
  const { call } = system;
  expect(await faultsOf(call.getActiveAsset({ symbol: 'x' }))).toEqual(['symbol']);
  expect(await faultsOf(call.getLiquidations({ symbol: 'x', windowSeconds: 29 }))).toEqual(['symbol', 'window_seconds']);
  expect(await faultsOf(call.getLiquidations({ symbol: SYMBOL, windowSeconds: 3_601 }))).toEqual(['window_seconds']);
  expect(await faultsOf(call.getCatalog({ asOfMs: -1 }))).toEqual(['as_of_ms']);
  for (const each of [
    call.getActiveAsset({ symbol: 'DOGEUSD-PERP' }),
    call.getLiquidations({ symbol: 'DOGEUSD-PERP', windowSeconds: 30 }),
  ]) {
    expect(await failureOf(each)).toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol', metadata: { symbols: SYMBOL } });
  }
});

test('freshness is answered from memory while the ledger is out of reach', async () => {
  await system.play(
    fixture
      .status(START_MS + 80_100, {
        type: 'gap',
        gapId: 'gap_book',
        channel: 'book',
        startMs: START_MS + 80_000,
        endMs: 0,
        reason: 'sequence_gap',
      })
      .tick(START_MS + 80_250),
  );
  const seen = async () => (await system.call.getFreshness({ symbol: SYMBOL })).channels.map(({ gapTotal24h }) => gapTotal24h);
  expect(await seen()).toEqual([1, 0, 0, 0]);
  await system.owner.query('ALTER TABLE gap RENAME TO gap_away');
  expect(await seen()).toEqual([1, 0, 0, 0]);
  await system.owner.query('ALTER TABLE gap_away RENAME TO gap');
});

test('an instrument changes when the feed reports another one', async () => {
  await system.pool.query(`UPDATE served_instrument SET venue_instrument = 'BTCUSD_OTHER', contract_value = NULL`);
  await waitUntil('the changed instrument', async () => {
    const [instrument] = (await system.call.listInstruments({})).instruments;
    return instrument?.venueInstrument === 'BTCUSD_OTHER' && instrument.contractValue === '';
  });
});
