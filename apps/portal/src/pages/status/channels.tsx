import { whole } from '../../market/numbers';
import { lowerFirst, Table } from '../../controls/table';
import { counted, duration, words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { Empty, ProblemNotice, Light, type LightState } from '../../status-components/conditions';
import { SpendButton } from '../../controls/buttons';
import { marketWords, venueWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { clock, clockBelow, zoned } from '../../time/clock';
import styles from './status.module.css';
import { type Ledger, ledgerCredits, useLedgers, type Catalog, type Freshness } from './use-status';
import { sourceWords } from '../../status-components/source-ribbon';

type Channel = Freshness['channels'][number];
type Symbol = Catalog['symbols'][number];

const CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

interface ChannelGridProps {
  readonly symbols: readonly Symbol[];
  readonly freshness: ReadonlyMap<string, Freshness>;
}

export function ChannelGrid({ symbols, freshness }: ChannelGridProps) {
  return (
    <Table
      className={`${sheet['cards'] ?? ''} ${styles['grid'] ?? ''}`}
      cardHead={lowerFirst}
      rows={symbols}
      keyOf={({ symbol }) => symbol}
      columns={[
        { head: 'Symbol', cell: ({ symbol }) => <Link href={`/live/${symbol}`}>{marketWords(symbol)}</Link> },
        {
          head: 'Source',
          cell: ({ venue, source_kind: kind }) => (
            <>
              {SOURCES[kind] ?? words(kind)} <span className={styles['soft']}>{venueWords(venue)}</span>
            </>
          ),
        },
        ...CHANNELS.map((name) => ({
          head: words(name),
          cell: ({ symbol }: Symbol) => <Cell answer={freshness.get(symbol)} name={name} />,
        })),
      ]}
    />
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  live: sourceWords('live').word,
  recorded: sourceWords('recorded_replay').word,
  simulated: sourceWords('synthetic').word,
};

function Cell({ answer, name }: { readonly answer: Freshness | undefined; readonly name: string }) {
  const channel = answer?.channels.find((each) => each.channel === name);
  const isLive = answer?.meta.response_semantics.response_state === 'live';
  if (channel === undefined) return <Light state="waiting" word="loading" />;
  return (
    <>
      <Light state={lightOf(channel, isLive)} word={stateWords(channel)} />
      <span className={styles['soft']}>{missingWords(channel)}</span>
    </>
  );
}

function lightOf({ reported, state }: Channel, isLive: boolean): LightState {
  if (!reported) return 'off';
  if (state !== 'fresh') return 'stale';
  return isLive ? 'live' : 'fresh';
}

function stateWords({ reported, state, freshness_ms: age, staleness_limit_ms: limit }: Channel): string {
  if (!reported) return 'not reported';
  if (age === null) return 'no row yet';
  const old = age < SECOND_MS ? 'under 1 s' : duration(age);
  return state === 'fresh' || limit === null ? `${old} old` : `stale: ${old}, limit ${duration(limit)}`;
}

const SECOND_MS = 1_000;

function missingWords({ reported, absence, gap_total_24h: gaps, seam_total_24h: seams }: Channel): string {
  if (!reported) return absence === null ? '' : words(absence);
  return [totalWords(gaps, 'gap'), totalWords(seams, 'seam')].filter((each) => each !== '').join(', ');
}

/** At a seam the recording restarts; live sources have none. */
function totalWords(total: number | null, noun: string): string {
  if (total === null || (total === 0 && noun === 'seam')) return '';
  return `${total === 0 ? 'no' : whole(total)} ${noun}${total === 1 ? '' : 's'}`;
}

/** Costs credits, so it is loaded on request. */
export function GapLedger({ symbols }: { readonly symbols: readonly string[] }) {
  const { data, error, isPending, mutate } = useLedgers();
  const rows = data?.ledgers.flatMap((ledger) => ledger.rows) ?? [];
  return (
    <section className={sheet['panel']} aria-label="Gap ledger">
      <div className={sheet['head']}>
        <h2>Gap ledger, last 24 hours</h2>
        <span className={sheet['actions']}>
          <SpendButton
            action={data === undefined ? 'Load' : 'Reload'}
            busy="Loading…"
            creditsAtMost={ledgerCredits(symbols)}
            isBusy={isPending}
            charged={data?.charged ?? null}
            onPress={() => mutate(symbols)}
          />
        </span>
      </div>
      <ProblemNotice error={error} retry={() => mutate(symbols)} />
      {data === undefined ? (
        <p className={sheet['soft']}>
          Each entry has an id that packets, replays and streams also use: it records what is missing, since when, why and how it ended.
        </p>
      ) : rows.length === 0 ? (
        <Empty why="No ledger entries in the last 24 hours: nothing is missing." />
      ) : (
        <>
          <ul className={styles['strips']}>
            {data.ledgers.map((ledger) => (
              <LedgerStrip key={ledger.symbol} ledger={ledger} />
            ))}
          </ul>
          <details>
            <summary>{rows.length === 1 ? 'The entry' : `The ${rows.length} entries`} as a table</summary>
            <Entries ledgers={data.ledgers} />
          </details>
        </>
      )}
    </section>
  );
}

const WIDTH = 1_000;

function LedgerStrip({ ledger: { symbol, fromMs, toMs, rows, isWhole } }: { readonly ledger: Ledger }) {
  const at = (ms: number): number => (WIDTH * (Math.min(Math.max(ms, fromMs), toMs) - fromMs)) / (toMs - fromMs);
  const gaps = rows.filter(({ kind }) => kind === 'gap');
  const totals = `${counted(gaps.length, 'gap')}, ${counted(rows.length - gaps.length, 'seam')}${isWhole ? '' : ', more not shown'}`;
  return (
    <li>
      <p>
        <b>{marketWords(symbol)}</b> <span className={styles['soft']}>{totals}</span>
      </p>
      <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" role="img" aria-label={`${marketWords(symbol)}: ${totals}`}>
        {rows.map(({ gap_id: id, kind, start_utc: start, end_utc: end }) => {
          const [left, right] = [at(Date.parse(start)), at(end === null ? toMs : Date.parse(end))];
          return kind === 'gap' ? <rect key={id} x={left} y="0" width={right - left} height="20" /> : <path key={id} d={`M${left} 6V20`} />;
        })}
        {gaps.map(({ gap_id: id, start_utc: start }) => (
          <path key={id} className={styles['start']} d={`M${at(Date.parse(start))} 0V20`} />
        ))}
      </svg>
      <p className={styles['ends']}>
        <span>{clock(fromMs, 'minute')}</span>
        <span>{clock(toMs, 'timeMinute')}</span>
      </p>
    </li>
  );
}

function Entries({ ledgers }: { readonly ledgers: readonly Ledger[] }) {
  return (
    <Table
      className={sheet['cards']}
      cardHead={lowerFirst}
      rows={ledgers.flatMap(({ symbol, rows }) => rows.map((row) => ({ ...row, market: symbol })))}
      keyOf={({ gap_id: id }) => id}
      columns={[
        { head: 'Symbol', cell: ({ market }) => marketWords(market) },
        { head: 'Kind', cell: ({ kind }) => words(kind) },
        { head: 'Channel', cell: ({ channel }) => words(channel ?? 'all') },
        { head: zoned('From'), cell: ({ start_utc: start }) => clockBelow(start) },
        {
          head: 'Duration',
          cell: ({ start_utc: start, end_utc: end }) => (end === null ? 'open' : duration(Date.parse(end) - Date.parse(start))),
        },
        { head: 'Reason', cell: ({ reason }) => words(reason) },
        { head: 'Resolution', cell: ({ resolution }) => words(resolution) },
        { head: 'Gap id', cell: ({ gap_id: id }) => <code>{id}</code> },
      ]}
    />
  );
}
