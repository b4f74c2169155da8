import { duration, words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { Light, type LightState } from '../../conditions/light';
import { sourceWords } from '../../conditions/source-words';
import sheet from '../../theme/sheet.module.css';
import type { Catalog, Freshness } from './use-status';
import styles from './status.module.css';

type Channel = Freshness['channels'][number];
type Symbol = Catalog['symbols'][number];

const CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

interface ChannelGridProps {
  readonly symbols: readonly Symbol[];
  readonly freshness: ReadonlyMap<string, Freshness>;
}

/** Each channel of each symbol: whether rows come, how old the newest is, and what is missing of the last day. */
export function ChannelGrid({ symbols, freshness }: ChannelGridProps) {
  return (
    <table className={`${sheet['cards'] ?? ''} ${styles['grid'] ?? ''}`}>
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col">Source</th>
          {CHANNELS.map((channel) => (
            <th scope="col" key={channel}>
              {words(channel)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {symbols.map(({ symbol, venue, source_kind: kind }) => {
          const answer = freshness.get(symbol);
          return (
            <tr key={symbol}>
              <th scope="row">
                <Link href={`/live/${symbol}`}>{symbol}</Link>
              </th>
              <td data-column="source">
                {SOURCES[kind] ?? words(kind)} <span className={styles['soft']}>{venue}</span>
              </td>
              {CHANNELS.map((name) => (
                <td key={name} data-column={words(name)}>
                  <Cell
                    channel={answer?.channels.find(({ channel }) => channel === name)}
                    isLive={answer?.meta.response_semantics.response_state === 'live'}
                  />
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  live: sourceWords('live').word,
  recorded: sourceWords('recorded_replay').word,
  simulated: sourceWords('synthetic').word,
};

function Cell({ channel, isLive }: { readonly channel: Channel | undefined; readonly isLive: boolean }) {
  if (channel === undefined) return <Light state="waiting" word="asked for" />;
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

/** Seams are places where a recording begins again; a live source has none. */
function totalWords(total: number | null, noun: string): string {
  if (total === null || (total === 0 && noun === 'seam')) return '';
  return `${total === 0 ? 'no' : total.toLocaleString('en-US')} ${noun}${total === 1 ? '' : 's'}`;
}
