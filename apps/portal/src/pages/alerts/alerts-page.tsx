import { counted } from '@market-state/packet-figures';
import { useEffect, useEffectEvent, useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Empty, Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { useUrlSpan, urlText, useUrlState, withUrlValue } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import { clockSpan } from '../../time/clock';
import { AlertTable, WatchlistTable } from './alert-tables';
import styles from './alerts.module.css';
import { EditAlert, Workbench } from './alert-form';
import { fromRecord, type Rule, urlRule, usualRule, ruleOfSearch } from './rule';
import { type AlertRecord, useLists, useSavedSearch, costWords, useDeleteAlert, useDeleteWatchlist } from './use-alerts';
import { WatchlistPanel } from './watchlist-panel';
import dialog from '../../controls/dialog.module.css';
import { DialogActions, Modal } from '../../controls/dialog';

/** What is about to be deleted. */
export interface Doomed {
  readonly kind: 'alert' | 'watchlist';
  readonly id: string;
  readonly name: string;
}

interface DeleteListProps {
  readonly doomed: Doomed;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Ends an alert or a watchlist; what of it fires is told to have ended. */
function DeleteList({ doomed: { kind, id, name }, onDeleted, onClose }: DeleteListProps) {
  const done = (): void => {
    onDeleted();
    onClose();
  };
  const alert = useDeleteAlert(done);
  const watchlist = useDeleteWatchlist(done);
  const { mutate, isPending, error } = kind === 'alert' ? alert : watchlist;
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate(id);
  };
  const cost = kind === 'alert' ? costWords('deleteAlert', { alert_id: id }) : costWords('deleteWatchlist', { watchlist_id: id });
  return (
    <Modal title={`Delete the ${kind}`} onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <p>{name} is looked at no more. What of it fires now is told once more, as ended. To stop its messages for a while, mute it.</p>
        {error === null ? null : <ProblemNotice error={error} />}
        <DialogActions action="Delete it" isDisabled={isPending} cost={cost} onClose={onClose} />
      </form>
    </Modal>
  );
}

const HOUR_MS = 3_600_000;
const USUAL_SYMBOL = 'BTCUSD-PERP';
const TEXT = urlText();
/** In place of the id of a watchlist: one that is being made. */
const NEW = 'new';
const FIRST_RULE = usualRule('severity_at_least');

export default function AlertsPage() {
  const lists = useLists();
  const [, setParams] = useSearchParams();
  const [span, setSpan] = useUrlSpan(HOUR_MS, USUAL_SYMBOL);
  const [rule] = useUrlState('rule', urlRule);
  const [other] = useUrlState('other', urlRule);
  const [editId] = useUrlState('edit', TEXT);
  const [watchlistId, setWatchlistId] = useUrlState('watchlist', TEXT);
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const { alerts = [], watchlists = [] } = lists.data ?? {};
  const edited = alerts.find(({ alert_id: id }) => id === editId);
  const saved = edited === undefined ? null : fromRecord(edited.rule);
  const watchlist = watchlists.find(({ watchlist_id: id }) => id === watchlistId);
  /** A rule in the form, of a new alert or of one that is edited. */
  const setForm = (next: Rule | null, otherNext: Rule | null, onSymbol = span.symbol, edit = editId): void =>
    setParams(
      (before) => {
        const ruled = withUrlValue(withUrlValue(before, 'rule', urlRule, next), 'other', urlRule, otherNext);
        const changed = withUrlValue(ruled, 'edit', TEXT, edit);
        changed.set('symbol', onSymbol);
        return changed;
      },
      { replace: true },
    );
  const tryRule = (next: Rule, symbol: string): void => {
    setForm(next, null, symbol, '');
    toForm();
  };
  const edit = ({ alert_id: id, symbol }: AlertRecord): void => {
    setForm(null, null, symbol, id);
    toForm();
  };
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Alerts</h1>
        {lists.data === undefined ? null : (
          <span className={sheet['soft']}>
            {counted(alerts.length, 'alert')}, {counted(watchlists.length, 'watchlist')}
          </span>
        )}
        <span className={sheet['push']} />
        <button type="button" className={sheet['go']} onClick={() => setWatchlistId(NEW)}>
          New watchlist
        </button>
        <button type="button" disabled={lists.isFetching} onClick={() => void lists.refetch()}>
          Refresh
        </button>
      </div>
      {lists.error === null ? null : <ProblemNotice error={lists.error} retry={() => void lists.refetch()} />}
      {lists.isPending ? <Outline rows={4} label="Loading alerts and watchlists" /> : null}
      {lists.data !== undefined && alerts.length + watchlists.length === 0 ? (
        <Empty why="No rule watches a market.">
          Choose one below and try it on the last hour: it says how often it would have woken you. Messages go to{' '}
          <Link href="/webhooks">your endpoints</Link>.
        </Empty>
      ) : null}
      {watchlists.length === 0 ? null : (
        <WatchlistTable
          watchlists={watchlists}
          openId={watchlistId}
          onOpen={setWatchlistId}
          onDelete={({ watchlist_id: id, name }) => setDoomed({ kind: 'watchlist', id, name })}
        />
      )}
      {watchlistId !== NEW && watchlist === undefined ? null : (
        <div className={styles['panels']}>
          <WatchlistPanel
            key={watchlistId}
            saved={watchlist ?? null}
            onTry={tryRule}
            onCreated={setWatchlistId}
            onClose={() => setWatchlistId('')}
          />
        </div>
      )}
      {alerts.length === 0 ? null : (
        <AlertTable
          alerts={alerts}
          openId={editId}
          onEdit={edit}
          onDelete={({ alert_id: id, name }) => setDoomed({ kind: 'alert', id, name })}
        />
      )}
      <FromSearch isTaken={rule !== null} onTake={(next, symbol) => setForm(next, null, symbol ?? span.symbol, '')} />
      <div id={FORM} className={styles['panels']}>
        {edited === undefined || saved === null ? (
          <Workbench
            rule={rule ?? FIRST_RULE}
            other={other}
            span={span}
            // A setting is of the same rule: with another kind it begins as that rule does.
            onRule={(next) =>
              setForm(next, other === null || next.kind === other.kind ? other : { ...next, cooldownSeconds: other.cooldownSeconds })
            }
            onOther={(next) => setForm(rule ?? FIRST_RULE, next)}
            onSpan={setSpan}
          />
        ) : (
          <EditAlert
            key={editId}
            alert={edited}
            saved={saved}
            rule={rule ?? saved}
            span={{ ...span, symbol: edited.symbol }}
            onRule={(next) => setForm(next, null)}
            onSpan={setSpan}
            onClose={() => setForm(null, null, edited.symbol, '')}
          />
        )}
      </div>
      <p className={sheet['note']}>
        A rule speaks of the description of a market, never of what to do. Its messages are sent once when it fires and once when it has
        recovered. This view: from {clockSpan(span.fromMs, span.toMs)}.
      </p>
      {doomed === null ? null : (
        <DeleteList
          doomed={doomed}
          onDeleted={() => {
            if (doomed.id === watchlistId) setWatchlistId('');
            if (doomed.id === editId) setForm(null, null, span.symbol, '');
          }}
          onClose={() => setDoomed(null)}
        />
      )}
    </>
  );
}

const FORM = 'rule-form';

/** The form lies below the lists: whoever fills it from there is led to it. */
function toForm(): void {
  requestAnimationFrame(() => document.getElementById(FORM)?.scrollIntoView({ block: 'start' }));
}

interface FromSearchProps {
  readonly isTaken: boolean;
  readonly onTake: (rule: Rule, symbol: string | null) => void;
}

/** Fills the form from the saved search that the address names, once, as far as one rule can say it. */
function FromSearch({ isTaken, onTake }: FromSearchProps) {
  const [searchId] = useUrlState('from_search', TEXT);
  const search = useSavedSearch(searchId);
  const found = search.data === undefined ? null : ruleOfSearch({ ...search.data.query });
  const take = useEffectEvent(() => {
    if (!isTaken && found !== null && found.rule !== null) onTake(found.rule, found.symbol);
  });
  useEffect(() => {
    if (search.data !== undefined) take();
  }, [search.data]);
  if (search.error !== null) return <ProblemNotice error={search.error} retry={() => void search.refetch()} />;
  if (found === null) return null;
  return (
    <p className={sheet['note']} role="status">
      {found.rule === null
        ? `The saved search ${search.data?.name ?? ''} has no condition that a rule can have.`
        : `The rule below is of the saved search ${search.data?.name ?? ''}.`}
      {found.left.length === 0 ? '' : ` Left out, since a rule has one condition: ${found.left.join(', ').replaceAll('_', ' ')}.`}
    </p>
  );
}
