import { counted } from '@market-state/packet-figures';
import { useEffect, useEffectEvent, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { useUrlSpan, urlText, useUrlState, withUrlValue } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import { clockSpan } from '../../time/clock';
import { AlertTable, WatchlistTable } from './alert-tables';
import styles from './alerts.module.css';
import { EditAlert, Workbench } from './alert-form';
import { fromRecord, type Rule, urlRule, usualRule, ruleOfSearch } from './rule';
import { type AlertRecord, useLists, useSavedSearch, costWords, useDeleteAlert, useDeleteWatchlist } from './use-alerts';
import { WatchlistPanel } from './watchlist-panel';
import { FormDialog } from '../../controls/dialog';

interface Doomed {
  readonly kind: 'alert' | 'watchlist';
  readonly id: string;
  readonly name: string;
}

interface DeleteListProps {
  readonly doomed: Doomed;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

function DeleteList({ doomed: { kind, id, name }, onDeleted, onClose }: DeleteListProps) {
  const done = (): void => {
    onDeleted();
    onClose();
  };
  const alert = useDeleteAlert(done);
  const watchlist = useDeleteWatchlist(done);
  const sending = kind === 'alert' ? alert : watchlist;
  const cost = kind === 'alert' ? costWords('deleteAlert', { alert_id: id }) : costWords('deleteWatchlist', { watchlist_id: id });
  return (
    <FormDialog
      title={`Delete ${kind}`}
      onSubmit={() => sending.mutate(id)}
      sending={sending}
      action="Delete"
      cost={cost}
      onClose={onClose}
    >
      <p>
        {name} will no longer be evaluated. If it is firing now, one last message reports that it ended. To pause its messages instead, mute
        it.
      </p>
    </FormDialog>
  );
}

const HOUR_MS = 3_600_000;
const USUAL_SYMBOL = 'BTCUSD-PERP';
const NEW = 'new';
const FIRST_RULE = usualRule('severity_at_least');

export default function AlertsPage() {
  const lists = useLists();
  const [, setParams] = useSearchParams();
  const [span, setSpan] = useUrlSpan(HOUR_MS, USUAL_SYMBOL);
  const [rule] = useUrlState('rule', urlRule);
  const [other] = useUrlState('other', urlRule);
  const [editId] = useUrlState('edit', urlText);
  const [watchlistId, setWatchlistId] = useUrlState('watchlist', urlText);
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const { alerts = [], watchlists = [] } = lists.data ?? {};
  const edited = alerts.find(({ alert_id: id }) => id === editId);
  const saved = edited === undefined ? null : fromRecord(edited.rule);
  const watchlist = watchlists.find(({ watchlist_id: id }) => id === watchlistId);
  const setForm = (next: Rule | null, otherNext: Rule | null, onSymbol = span.symbol, edit = editId): void =>
    setParams(
      (before) => {
        const ruled = withUrlValue(withUrlValue(before, 'rule', urlRule, next), 'other', urlRule, otherNext);
        const changed = withUrlValue(ruled, 'edit', urlText, edit);
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
      <ProblemNotice error={lists.error} retry={() => void lists.refetch()} />
      {lists.isPending ? <Outline rows={4} label="Loading alerts and watchlists" /> : null}
      {lists.data !== undefined && alerts.length + watchlists.length === 0 ? (
        <Empty why="No alerts yet.">
          Build one below and test it on the last hour to see how often it would have fired. Messages go to{' '}
          <Link href="/webhooks">your destinations</Link>: Slack, email, a webhook and others.
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
      <FromSearch isAccepted={rule !== null} onTake={(next, symbol) => setForm(next, null, symbol ?? span.symbol, '')} />
      <div id={FORM} className={styles['panels']}>
        {edited === undefined || saved === null ? (
          <Workbench
            rule={rule ?? FIRST_RULE}
            other={other}
            span={span}
            // Setting B always has the same kind as A: changing the kind resets it to that rule.
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
        Alerts describe market state; they are not trading advice. You get one message when an alert fires and one when it recovers. This
        view: from {clockSpan(span.fromMs, span.toMs)}.
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

/** The form is below the lists, so opening it from there scrolls to it. */
function toForm(): void {
  requestAnimationFrame(() => document.getElementById(FORM)?.scrollIntoView({ block: 'start' }));
}

interface FromSearchProps {
  readonly isAccepted: boolean;
  readonly onTake: (rule: Rule, symbol: string | null) => void;
}

/** Fills the form once from the saved search in the address, as far as one rule can express it. */
function FromSearch({ isAccepted, onTake }: FromSearchProps) {
  const [searchId] = useUrlState('from_search', urlText);
  const search = useSavedSearch(searchId);
  const found = search.data === undefined ? null : ruleOfSearch({ ...search.data.query });
  const take = useEffectEvent(() => {
    if (!isAccepted && found !== null && found.rule !== null) onTake(found.rule, found.symbol);
  });
  useEffect(() => {
    if (search.data !== undefined) take();
  }, [search.data]);
  if (search.error !== null) return <ProblemNotice error={search.error} retry={() => void search.refetch()} />;
  if (found === null) return null;
  return (
    <p className={sheet['note']} role="status">
      {found.rule === null
        ? `No condition of the saved search ${search.data?.name ?? ''} can be used in a rule.`
        : `The rule below comes from the saved search ${search.data?.name ?? ''}.`}
      {found.left.length === 0 ? '' : ` Not included, because a rule has one condition: ${found.left.join(', ').replaceAll('_', ' ')}.`}
    </p>
  );
}
