import { words } from '@market-state/packet-figures';
import { Light } from '../../conditions/light';
import { Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import styles from './symbol.module.css';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import { useRunningCost } from '../../service/meter';
import { useIsSeen } from '../../service/visibility';

/** Context and lanes are read again as often, milliseconds: they change slowly. */
const EVERY_MS = 60_000;
/** Freshness costs nothing. */
const FRESHNESS_MS = 15_000;
const READS_AN_HOUR = 60;
const GAPS_MAX = 50;

/** What stands around the packets of a symbol, read again every minute while the page is seen: three credits each time, gaps once. */
export function useContextOf(symbol: string, fromMs: number) {
  const isSeen = useIsSeen();
  const often = { refetchInterval: isSeen ? EVERY_MS : (false as const), staleTime: EVERY_MS };
  useRunningCost('context', isSeen ? 3 * READS_AN_HOUR : null);
  return {
    asset: useQuery({
      queryKey: ['asset', symbol],
      queryFn: ({ signal }) => read(service.context.activeAsset({ symbol }, { signal })),
      ...often,
    }),
    liquidations: useQuery({
      queryKey: ['liquidations', symbol],
      queryFn: ({ signal }) => read(service.liquidations.context({ symbol }, { signal })),
      ...often,
    }),
    newest: useQuery({
      queryKey: ['latest', symbol, 'packet'],
      queryFn: ({ signal }) => read(service.latest.get({ symbol }, { signal })),
      ...often,
    }),
    freshness: useQuery({
      queryKey: ['freshness', symbol],
      queryFn: ({ signal }) => read(service.data.freshness({ symbol }, { signal })),
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

/** Funding, open interest, prices of reference and liquidations as the venue reports them. */
export function ContextPanel({ asset, liquidations, freshness }: Pick<Context, 'asset' | 'liquidations' | 'freshness'>) {
  return (
    <section aria-label="Context">
      <h2>Context</h2>
      {asset.error === null ? null : <ProblemNotice error={asset.error} retry={() => void asset.refetch()} />}
      {asset.isPending ? <Outline rows={4} label="Loading the context" /> : null}
      {asset.data === undefined ? null : <Facts facts={assetFacts(asset.data)} />}
      {liquidations.data === undefined ? null : <Facts facts={liquidationFacts(liquidations.data)} />}
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

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value, unit]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value === null ? <span className={styles['soft']}>not reported</span> : value}{' '}
            {value === null ? null : <span className={styles['soft']}>{unit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function assetFacts(asset: NonNullable<Context['asset']['data']>): readonly Fact[] {
  const hours = asset.funding_interval_hours;
  return [
    [
      'funding rate',
      asset.funding_rate === null ? null : `${(100 * Number(asset.funding_rate)).toFixed(4)} %`,
      hours !== null ? `each ${hours} h` : asset.funding_rate === null ? '' : 'a payment; hours between payments unknown',
    ],
    ['open interest', grouped(asset.open_interest_usd, 0), 'USD'],
    ['mark', grouped(asset.mark_price), 'USD'],
    ['oracle', grouped(asset.oracle_price), 'USD'],
    ['basis', asset.basis_bps === null ? null : asset.basis_bps.toFixed(2), 'bps'],
    ['volume of the day', grouped(asset.day_volume_usd, 0), 'USD'],
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
