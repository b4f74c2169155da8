import { useRead, read, service } from '../../service/client';
import { Facts } from '../../controls/facts';
import { type Schemas, StreamEnded } from '@market-state/client';
import { counted, words } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import { metered, creditsOf, useRunningCost } from '../../service/meter';
import { followShared } from '../../service/shared-stream';
import { useIsSeen } from '../../service/visibility';
import { drawEveryMs } from '../../theme/theme';
import { type FlowState, NO_FLOW, withAnswers, withRows } from '../../market/flow-state';
import { ProblemNotice, Outline, Light } from '../../status-components/conditions';
import flowStyles from '../../market/flow.module.css';
import { LadderView, TapeView } from '../../market/flow-views';
import styles from './symbol.module.css';
import { readPages } from '../../service/read-pages';
import { symbolOf } from '../../packets/market-name';

const EVERY_MS = 60_000;
const FRESHNESS_MS = 15_000;
const READS_AN_HOUR = 60;
const GAPS_MAX = 50;

/** First reads of book, trades, context, gaps and the newest packet. */
export function contextCreditsMax(symbol: string): number {
  const limits = [
    service.creditsAtMost('getActiveAssetContext', { symbol }),
    service.creditsAtMost('getLiquidationsContext', { symbol }),
    service.creditsAtMost('getLatest', { symbol }),
    service.creditsAtMost('getDataFreshness', { symbol }),
    service.creditsAtMost('listGaps', { symbol, limit: GAPS_MAX }),
    service.creditsAtMost('getBookL2Latest', { symbol, depth: BOOK_LEVELS }),
    service.creditsAtMost('listLatestTrades', { symbol, limit: FIRST_TRADES }),
  ];
  return limits.reduce<number>((sum, credits) => sum + (credits ?? 0), 0);
}

/** Refreshed every minute while the page is visible: three credits each time, gaps only once. */
export function useContextOf(symbol: string, fromMs: number) {
  const isSeen = useIsSeen();
  const often = { refetchInterval: isSeen ? EVERY_MS : (false as const), staleTime: EVERY_MS };
  useRunningCost('context', isSeen ? 3 * READS_AN_HOUR : null);
  return {
    asset: useRead(['asset', symbol], (options) => service.context.activeAsset({ symbol }, options), often),
    liquidations: useRead(['liquidations', symbol], (options) => service.liquidations.context({ symbol }, options), often),
    newest: useRead(['latest', symbol, 'packet'], (options) => service.latest.get({ symbol }, options), often),
    freshness: useRead(['freshness', symbol], (options) => service.data.freshness({ symbol }, options), {
      refetchInterval: isSeen ? FRESHNESS_MS : false,
    }),
    gaps: useQuery({
      queryKey: ['gaps', symbol, fromMs],
      queryFn: ({ signal }) =>
        readPages(service.gaps.rows({ symbol, from: new Date(fromMs).toISOString(), limit: GAPS_MAX }, { signal }), ({ rows }) => rows),
      staleTime: Infinity,
    }),
  };
}

type Context = ReturnType<typeof useContextOf>;
type Fact = readonly [name: string, value: string | null, unit: string];

const grouped = (text: string | null, decimals?: number): string | null =>
  text === null
    ? null
    : Number(text).toLocaleString('en-US', decimals === undefined ? { maximumFractionDigits: 8 } : { maximumFractionDigits: decimals });

export function ContextPanel({ asset, liquidations, freshness }: Pick<Context, 'asset' | 'liquidations' | 'freshness'>) {
  return (
    <section aria-label="Context">
      <h2>Context</h2>
      <ProblemNotice error={asset.error} retry={() => void asset.refetch()} />
      {asset.isPending ? <Outline rows={4} label="Loading context" /> : null}
      {asset.data === undefined ? null : <ContextFacts facts={assetFacts(asset.data)} />}
      {liquidations.data === undefined ? null : <ContextFacts facts={liquidationFacts(liquidations.data)} />}
      {freshness.data === undefined ? null : (
        <ul className={styles['channels']} aria-label="Freshness of channels">
          {freshness.data.channels.map(({ channel, reported, state, freshness_ms: ageMs }) => (
            <li key={channel}>
              <Light state={!reported ? 'off' : state === 'fresh' ? 'fresh' : 'stale'} word={words(channel)} />{' '}
              <span className={styles['soft']}>
                {!reported ? 'not reported' : ageMs === null ? words(state) : `${(ageMs / 1_000).toFixed(1)} s old`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ContextFacts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <Facts
      className={styles['facts']}
      facts={facts.map(([name, value, unit]) => [
        name,
        <>
          {value === null ? <span className={styles['soft']}>not reported</span> : value}{' '}
          {value === null ? null : <span className={styles['soft']}>{unit}</span>}
        </>,
      ])}
    />
  );
}

function assetFacts(asset: NonNullable<Context['asset']['data']>): readonly Fact[] {
  const hours = asset.funding_interval_hours;
  return [
    [
      'funding rate',
      asset.funding_rate === null ? null : `${(100 * Number(asset.funding_rate)).toFixed(4)} %`,
      hours !== null ? `every ${hours} h` : asset.funding_rate === null ? '' : 'per payment; payment interval unknown',
    ],
    ['open interest', grouped(asset.open_interest_usd, 0), 'USD'],
    ['mark', grouped(asset.mark_price), 'USD'],
    ['oracle', grouped(asset.oracle_price), 'USD'],
    ['basis', asset.basis_bps === null ? null : asset.basis_bps.toFixed(2), 'bps'],
    ['daily volume', grouped(asset.day_volume_usd, 0), 'USD'],
  ];
}

function liquidationFacts(liquidations: NonNullable<Context['liquidations']['data']>): readonly Fact[] {
  const span = `in ${liquidations.window_seconds} s`;
  return [
    ['liquidations', liquidations.event_total === null ? null : String(liquidations.event_total), span],
    ['of longs', grouped(liquidations.long_notional_usd, 0), 'USD'],
    ['of shorts', grouped(liquidations.short_notional_usd, 0), 'USD'],
  ];
}

/** Rendered separately from the charts, because it changes far more often. */
export function FlowPanes({ symbol }: { readonly symbol: string }) {
  const { flow, failure, goOn } = useFlow(symbol);
  const unit = symbolOf(symbol).replace(/USD-PERP$/, '');
  const missing = [
    flow.skippedTotal === 0 ? '' : `${counted(flow.skippedTotal, 'row')} skipped: this browser was too slow`,
    flow.gapTotal === 0 ? '' : `${counted(flow.gapTotal, 'gap')} in the feed`,
  ].filter((words) => words !== '');
  return (
    <>
      <ProblemNotice error={failure} retry={goOn} />
      {missing.length === 0 ? null : <p className={flowStyles['missing']}>{missing.join('; ')}.</p>}
      <LadderView flow={flow} unit={unit} />
      <TapeView flow={flow} unit={unit} empty="No trades since this page was opened." />
    </>
  );
}

/** Redraw interval. The stream conflates rows over it into one message, which costs one. */
const DRAW_MS = 500;
/** Fetched once, so that something is shown before the first message. */
const BOOK_LEVELS = 20;
const FIRST_TRADES = 60;
const CHANNELS = ['book', 'trades'] as const;
/** Limit of one stream. */
const CREDITS_MAX = 2_000;
/** Message time needed before the hourly cost is shown. */
const MEASURE_MS = 15_000;
const HOUR_MS = 3_600_000;

interface Flow {
  readonly flow: FlowState;
  /** Null while running. */
  readonly failure: unknown;
  readonly goOn: () => void;
}

function useFlow(symbol: string): Flow {
  const isSeen = useIsSeen();
  const [flow, setFlow] = useState(NO_FLOW);
  const [failure, setFailure] = useState<unknown>(null);
  const [perHour, setPerHour] = useState<number | null>(null);
  const [starts, goOn] = useReducer((before: number) => before + 1, 0);
  const [resume] = useState(() => new Map<string, string>());
  useRunningCost('rows', isSeen ? perHour : null);

  useEffect(() => {
    if (!isSeen) return undefined;
    const stop = new AbortController();
    let state = NO_FLOW;
    let rows: Schemas['DataRow'][] = [];
    let isDrawn = true;
    let messages = 0;
    const startedMs = performance.now();
    setFailure(null);
    const timer = setInterval(() => {
      if (isDrawn) return;
      isDrawn = true;
      state = withRows(state, rows);
      rows = [];
      setFlow(state);
      const lastedMs = performance.now() - startedMs;
      if (lastedMs > MEASURE_MS) setPerHour(Math.round(creditsOf((messages * HOUR_MS) / lastedMs)));
    }, drawEveryMs(DRAW_MS));
    const answers = Promise.allSettled([
      read(service.book.latest({ symbol, depth: BOOK_LEVELS }, { signal: stop.signal })),
      read(service.trades.latest({ symbol, limit: FIRST_TRADES }, { signal: stop.signal })),
    ]);
    void answers.then(([book, trades]) => {
      state = withAnswers(state, book.status === 'fulfilled' ? book.value : null, trades.status === 'fulfilled' ? trades.value : null);
      isDrawn = false;
    });
    void followShared(
      {
        name: `rows:${symbol}`,
        open: (options) =>
          metered(
            service.stream.data(
              { symbols: [symbol], channels: CHANNELS, conflateMs: DRAW_MS, resumeFrom: resume.get(symbol) },
              { ...options, maxCredits: CREDITS_MAX },
            ),
          ),
        onMessage(message) {
          messages += 1;
          if (message.type === 'conflated') rows.push(...message.data.rows);
          else if (message.type === 'row' || message.type === 'backfill') rows.push(message.data);
          else if (message.type === 'gap' && message.data.kind === 'gap') state = { ...state, gapTotal: state.gapTotal + 1 };
          else if (message.type === 'skipped') state = { ...state, skippedTotal: state.skippedTotal + message.data.row_total };
          else if (message.type === 'end') setFailure(new StreamEnded(message.code, message.resumeId, undefined));
          if ('id' in message) resume.set(symbol, message.id);
          isDrawn = false;
        },
        onConnection: () => undefined,
        onFailure: setFailure,
      },
      stop.signal,
    );
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [symbol, isSeen, resume, starts]);

  return { flow, failure, goOn };
}
