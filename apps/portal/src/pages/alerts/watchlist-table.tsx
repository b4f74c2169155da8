import { counted } from '@market-state/packet-figures';
import records from '../../controls/records.module.css';
import { NowhereMark } from './alert-destination';
import { ListActs } from './list-acts';
import { ListSection } from './list-section';
import { ruleWords } from './rule';
import { costWords, useUpdateWatchlist, type WatchlistRecord } from './use-alerts';

interface WatchlistTableProps {
  readonly watchlists: readonly WatchlistRecord[];
  readonly openId: string;
  readonly onOpen: (watchlistId: string) => void;
  readonly onDelete: (watchlist: WatchlistRecord) => void;
}

/** A row a watchlist: its symbols, its rules, and which of them fire. */
export function WatchlistTable({ watchlists, openId, onOpen, onDelete }: WatchlistTableProps) {
  const { mutate, isPending, error } = useUpdateWatchlist();
  return (
    <ListSection
      title="Watchlists"
      note="several rules on several symbols"
      muting={costWords('updateWatchlist', { watchlist_id: '' })}
      error={error}
      heads={['Symbols', 'Wakes when', 'Now']}
    >
      {watchlists.map((watchlist) => {
        const { watchlist_id: id, name, symbols, rules, muted } = watchlist;
        return (
          <tr key={id} data-off={muted} aria-current={id === openId}>
            <th scope="row">
              <button type="button" className={records['open']} onClick={() => onOpen(id)}>
                {name}
              </button>{' '}
              {muted ? <span className={records['mark']}>muted</span> : <NowhereMark symbols={symbols} />}
            </th>
            <td data-column="Symbols">{symbols.join(', ')}</td>
            <td data-column="Wakes when">
              {rules.length === 0 ? 'it has no rule' : null}
              {rules.map(({ rule_id: ruleId, kind, params }) => (
                <div key={ruleId}>{ruleWords({ kind, params: { ...params } })}</div>
              ))}
            </td>
            <td data-column="Now">
              <Firing watchlist={watchlist} />
            </td>
            <td className={records['acts']}>
              <ListActs
                name={name}
                muted={muted}
                isPending={isPending}
                onEdit={() => onOpen(id)}
                onMute={(next) => mutate({ watchlist_id: id, muted: next })}
                onDelete={() => onDelete(watchlist)}
              />
            </td>
          </tr>
        );
      })}
    </ListSection>
  );
}

/** Rules that fire are listed up to so many; of further ones only the number is. */
const FIRING_MAX = 3;
/** States in which the condition of a rule has come to hold, and has not recovered. */
const HOLDING: ReadonlySet<string> = new Set(['firing', 'recovering']);

function Firing({ watchlist: { rules, symbols } }: { readonly watchlist: WatchlistRecord }) {
  const firing = rules.flatMap(({ standings, kind, params }) =>
    standings.filter(({ state }) => HOLDING.has(state)).map(({ symbol }) => `${symbol}: ${ruleWords({ kind, params: { ...params } })}`),
  );
  return (
    <>
      <b>{firing.length === 0 ? 'none firing' : `${firing.length} firing`}</b>
      <span className={records['more']}>
        of {counted(rules.length, 'rule')} on {counted(symbols.length, 'symbol')}
      </span>
      {firing.slice(0, FIRING_MAX).map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
      {firing.length > FIRING_MAX ? <div>and {firing.length - FIRING_MAX} more</div> : null}
    </>
  );
}
