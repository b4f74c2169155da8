import { account, labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, unavailable } from '@market-state/errors';
import { bindService, type BoundService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { encodeEvent } from '@market-state/market-data';
import { testServing } from '@market-state/testing';
import { DAY_MS, type StoredTrade, SYMBOL, type TradesMarket } from './trades-market';

/** Fake account service for long work. */
export interface FakeCredits {
  available: number;
  isAway: boolean;
  /** Awaited before credits are reserved. */
  beforeReserve: () => Promise<void>;
  readonly reserved: Map<string, number>;
  readonly charged: Map<string, number>;
  /** Calls by method, including those without effect. */
  readonly settleCalls: string[];
}

/** Fake upstream services. */
export interface Upstreams {
  readonly credits: FakeCredits;
  /** End of recorded data. */
  recordedMs: number;
  /** Awaited before rows are counted. */
  beforeCount: () => Promise<void>;
  /** Awaited before unarchived rows are returned. */
  beforeRows: () => Promise<void>;
  readonly addresses: Readonly<Record<'accountAddresses' | 'dataPlaneAddresses' | 'labelingAddresses', readonly string[]>>;
  close(): Promise<void>;
}

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not available here.'));

/** Handlers that all refuse except the given ones. */
function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

function serve(name: 'account' | 'data-plane' | 'labeling', service: BoundService): Promise<GrpcServer> {
  return startGrpcServer({
    ...testServing(name),
    address: '127.0.0.1:0',
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [service],
  });
}

export async function startUpstreams(market: TradesMarket): Promise<Upstreams> {
  const credits: FakeCredits = {
    available: 1_000,
    isAway: false,
    beforeReserve: async () => undefined,
    reserved: new Map(),
    charged: new Map(),
    settleCalls: [],
  };
  const trades = market.hours.flatMap((hour) => hour.trades);
  const state = {
    recordedMs: Math.max(...trades.map(({ event }) => event.receivedTsMs)),
    beforeCount: async () => undefined as void,
    beforeRows: async () => undefined as void,
  };
  const servers = [
    await serve('account', creditService(credits)),
    await serve(
      'data-plane',
      rowService(market, () => running),
    ),
    await serve(
      'labeling',
      bindService(
        labeling.LabelingServiceService,
        only(labeling.LabelingServiceService, {
          planPacketSpan: async () => ({ hours: [], keptFromMs: 0 }),
          listSigningKeys: async () => ({ keys: [] }),
        }),
      ),
    ),
  ] as const;
  const running: Upstreams = Object.assign(state, {
    credits,
    addresses: {
      accountAddresses: [servers[0].address],
      dataPlaneAddresses: [servers[1].address],
      labelingAddresses: [servers[2].address],
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  });
  return running;
}

function creditService(credits: FakeCredits): BoundService {
  const there = (): void => {
    if (credits.isAway) throw unavailable('upstream_unavailable', 'Away.');
  };
  const refusal = (): account.Refusal => ({ control: account.CreditControl.BALANCE, available: credits.available, resetsTsMs: 0 });
  return bindService(
    account.CreditServiceService,
    only(account.CreditServiceService, {
      async reserve({ operationId, priced }: account.ReserveRequest): Promise<account.ReserveResponse> {
        there();
        await credits.beforeReserve();
        if (credits.charged.has(operationId)) throw failedPrecondition('reservation_over', 'Over.');
        const cost = priced?.estimatedExportCredits ?? 0;
        if (!credits.reserved.has(operationId)) {
          if (cost > credits.available) return { reserved: false, refusal: refusal(), available: credits.available };
          credits.available -= cost;
          credits.reserved.set(operationId, cost);
        }
        return { reserved: true, available: credits.available };
      },
      async previewCharge({ credits: needed }: account.PreviewChargeRequest): Promise<account.PreviewChargeResponse> {
        there();
        const stops = needed > credits.available ? refusal() : undefined;
        return { balances: [], refusal: stops, marketStateAfter: 0, exportAfter: credits.available - needed };
      },
      async settle({ operationId, observedExportCredits }: account.SettleRequest): Promise<account.SettleResponse> {
        there();
        credits.settleCalls.push(operationId);
        const reserved = credits.reserved.get(operationId);
        if (reserved === undefined && !credits.charged.has(operationId)) throw failedPrecondition('reservation_over', 'Over.');
        if (reserved !== undefined) {
          credits.reserved.delete(operationId);
          credits.charged.set(operationId, observedExportCredits);
          credits.available += reserved - observedExportCredits;
        }
        return { receiptId: `rcp_${operationId}` };
      },
      async release({ operationId }: account.ReleaseRequest): Promise<account.ReleaseResponse> {
        there();
        credits.available += credits.reserved.get(operationId) ?? 0;
        credits.reserved.delete(operationId);
        return {};
      },
    }),
  );
}

function rowService({ hours }: TradesMarket, state: () => Pick<Upstreams, 'recordedMs' | 'beforeCount' | 'beforeRows'>): BoundService {
  const asOf = (asOfMs: number): number => (asOfMs === 0 ? state().recordedMs : Math.min(asOfMs, state().recordedMs));
  const within = ({ event }: StoredTrade, startMs: number, endMs: number, asOfMs: number): boolean =>
    event.exchangeTsMs >= startMs && event.exchangeTsMs < endMs && event.receivedTsMs <= asOfMs;
  return bindService(
    marketData.MarketDataServiceService,
    only(marketData.MarketDataServiceService, {
      listInstruments: async () => ({
        instruments: [
          {
            symbol: SYMBOL,
            venue: 'simulated',
            venueInstrument: 'BTC',
            contractValue: '',
            sourceKind: marketData.SourceKind.SIMULATED,
            channels: [marketData.Channel.TRADE],
          },
        ],
      }),
      listGaps: async ({ symbol, asOfMs }: marketData.ListGapsRequest): Promise<marketData.ListGapsResponse> => ({
        symbol,
        venue: 'simulated',
        sourceKind: marketData.SourceKind.SIMULATED,
        gaps: [],
        nextPageToken: '',
        asOfMs: asOf(asOfMs),
      }),
      getRights: async () => ({ featureClasses: [] }),
      async planSpan({ startMs, endMs, asOfMs, countRows }: marketData.PlanSpanRequest): Promise<marketData.PlanSpanResponse> {
        if (countRows) await state().beforeCount();
        const planned = hours.flatMap((hour): marketData.PlannedHour[] => {
          const rows = hour.trades.filter((trade) => within(trade, startMs, endMs, asOf(asOfMs)));
          const days = new Map<number, number>();
          for (const { event } of rows) {
            const dayMs = Math.floor(event.exchangeTsMs / DAY_MS) * DAY_MS;
            days.set(dayMs, (days.get(dayMs) ?? 0) + 1);
          }
          if (rows.length === 0) return [];
          const ordinals = hour.trades.map(({ event }) => event.ordinal);
          const times = hour.trades.map(({ event }) => event.exchangeTsMs);
          return [
            {
              hourMs: hour.hourMs,
              firstOrdinal: Math.min(...ordinals),
              lastOrdinal: Math.max(...ordinals),
              rowTotal: hour.trades.length,
              minExchangeMs: Math.min(...times),
              maxExchangeMs: Math.max(...times),
              file: hour.file === undefined ? undefined : { objectKey: hour.file.key, sha256: hour.file.sha256, bytes: hour.file.bytes },
              days: countRows ? [...days].map(([dayMs, total]) => ({ dayMs, rows: total })) : [],
            },
          ];
        });
        return {
          venue: 'simulated',
          sourceKind: marketData.SourceKind.SIMULATED,
          asOfMs: asOf(asOfMs),
          toOrdinal: 1_000_000,
          keptFromMs: 0,
          reported: true,
          hours: planned,
        };
      },
      async *streamStoredRows(request: marketData.StreamStoredRowsRequest): AsyncGenerator<marketData.StreamStoredRowsResponse> {
        await state().beforeRows();
        const rows = hours
          .flatMap((hour) => hour.trades)
          .filter((trade) => within(trade, request.startMs, request.endMs, asOf(request.asOfMs)))
          .filter(({ event }) => event.ordinal > request.afterOrdinal && event.ordinal <= request.toOrdinal);
        yield {
          rows: rows.map(({ event, flags }) => ({ ...event, flags, payload: Buffer.from(encodeEvent(event)) })),
        };
      },
    }),
  );
}
