import { Hidden, Table } from '../../controls/table';
import { counted, words } from '@market-state/packet-figures';
import type { ComponentProps } from 'react';
import { ChangeButton } from '../../controls/buttons';
import { marketWords, marketsWords } from '../../packets/market-name';
import records from '../../controls/records.module.css';
import { NowhereMark } from './alert-destination';
import { ruleWords, settingWords } from './rule';
import { costWords, useUpdateWatchlist, type WatchlistRecord, type AlertRecord, useUpdateAlert } from './use-alerts';
import { zoned, clockBelow } from '../../time/clock';
import { ProblemNotice } from '../../status-components/conditions';
import sheet from '../../theme/sheet.module.css';

interface ListActsProps {
  readonly name: string;
  readonly muted: boolean;
  readonly isPending: boolean;
  readonly onEdit: () => void;
  readonly onMute: (muted: boolean) => void;
  readonly onDelete: () => void;
}

function ListActs({ name, muted, isPending, onEdit, onMute, onDelete }: ListActsProps) {
  const mute = muted ? 'Unmute' : 'Mute';
  return (
    <>
      <button type="button" onClick={onEdit} aria-label={`Edit ${name}`}>
        Edit
      </button>
      <ChangeButton disabled={isPending} onClick={() => onMute(!muted)} aria-label={`${mute} ${name}`}>
        {mute}
      </ChangeButton>
      <ChangeButton onClick={onDelete} aria-label={`Delete ${name}`}>
        Delete
      </ChangeButton>
    </>
  );
}

interface ListSectionProps<Row> extends Pick<ComponentProps<typeof Table<Row>>, 'rows' | 'keyOf' | 'rowProps' | 'columns'> {
  readonly title: string;
  readonly note: string;
  readonly muting: string;
  readonly error: unknown;
}

function ListSection<Row>({ title, note, muting, error, ...table }: ListSectionProps<Row>) {
  return (
    <section aria-label={title}>
      <div className={sheet['bar']}>
        <h2>
          {title} <span className={sheet['soft']}>{note}</span>
        </h2>
        <span className={sheet['push']} />
        <span className={sheet['soft']}>muting {muting}</span>
      </div>
      <ProblemNotice error={error} />
      <Table {...table} className={records['table']} caption={`${title}, newest first`} />
    </section>
  );
}

type RuleRecord = AlertRecord['rule'];

function SavedRule({ rule }: { readonly rule: RuleRecord }) {
  return (
    <>
      {ruleWords({ kind: rule.kind, params: { ...rule.params } })}
      <span className={records['more']}>
        {settingWords({ minConsecutive: rule.min_consecutive, cooldownSeconds: rule.cooldown_seconds })}
      </span>
    </>
  );
}

function RuleStates({ rule }: { readonly rule: RuleRecord }) {
  return rule.standings.map(({ symbol, state, stale, since_utc: since }) => (
    <div key={symbol}>
      {marketWords(symbol)}: <b>{words(state)}</b>
      {stale ? ', no packet for over 60 s' : ''}
      <span className={records['more']}>{since === null ? 'no packet yet' : `since ${clockBelow(since)}`}</span>
    </div>
  ));
}

const CHANGES_MAX = 3;

function LastChanges({ rule }: { readonly rule: RuleRecord }) {
  const changes = rule.standings
    .flatMap(({ symbol, transitions }) => transitions.map((transition) => ({ symbol, ...transition })))
    .sort((a, b) => b.at_utc.localeCompare(a.at_utc))
    .slice(0, CHANGES_MAX);
  if (changes.length === 0) return 'none yet';
  return changes.map(({ symbol, at_utc: at, from_state: from, to_state: to, phase }) => (
    <div key={`${symbol} ${at} ${to}`}>
      {clockBelow(at, 'monthSecond')} {from} to {to}
      {phase === null ? '' : `, ${phase}`}
    </div>
  ));
}

interface AlertTableProps {
  readonly alerts: readonly AlertRecord[];
  readonly openId: string;
  readonly onEdit: (alert: AlertRecord) => void;
  readonly onDelete: (alert: AlertRecord) => void;
}

export function AlertTable({ alerts, openId, onEdit, onDelete }: AlertTableProps) {
  const { mutate, isPending, error } = useUpdateAlert();
  return (
    <ListSection
      title="Alerts"
      note="one rule on one symbol"
      muting={costWords('updateAlert', { alert_id: '' })}
      error={error}
      rows={alerts}
      keyOf={({ alert_id: id }) => id}
      rowProps={({ alert_id: id, muted }) => ({ 'data-off': muted, 'aria-current': id === openId })}
      columns={[
        {
          head: 'Name',
          cell: ({ name, muted, symbol }) => (
            <>
              {name} {muted ? <span className={records['mark']}>muted</span> : <NowhereMark symbols={[symbol]} />}
            </>
          ),
        },
        { head: 'Condition', cell: ({ rule }) => <SavedRule rule={rule} /> },
        { head: 'Now', cell: ({ rule }) => <RuleStates rule={rule} /> },
        { head: zoned('Last changes'), cell: ({ rule }) => <LastChanges rule={rule} /> },
        {
          head: <Hidden>Actions</Hidden>,
          cell: (alert) => (
            <ListActs
              name={alert.name}
              muted={alert.muted}
              isPending={isPending}
              onEdit={() => onEdit(alert)}
              onMute={(muted) => mutate({ alert_id: alert.alert_id, muted })}
              onDelete={() => onDelete(alert)}
            />
          ),
          className: records['acts'],
        },
      ]}
    />
  );
}

interface WatchlistTableProps {
  readonly watchlists: readonly WatchlistRecord[];
  readonly openId: string;
  readonly onOpen: (watchlistId: string) => void;
  readonly onDelete: (watchlist: WatchlistRecord) => void;
}

export function WatchlistTable({ watchlists, openId, onOpen, onDelete }: WatchlistTableProps) {
  const { mutate, isPending, error } = useUpdateWatchlist();
  return (
    <ListSection
      title="Watchlists"
      note="several rules on several symbols"
      muting={costWords('updateWatchlist', { watchlist_id: '' })}
      error={error}
      rows={watchlists}
      keyOf={({ watchlist_id: id }) => id}
      rowProps={({ watchlist_id: id, muted }) => ({ 'data-off': muted, 'aria-current': id === openId })}
      columns={[
        {
          head: 'Name',
          cell: ({ watchlist_id: id, name, symbols, muted }) => (
            <>
              <button type="button" className={records['open']} onClick={() => onOpen(id)}>
                {name}
              </button>{' '}
              {muted ? <span className={records['mark']}>muted</span> : <NowhereMark symbols={symbols} />}
            </>
          ),
        },
        { head: 'Symbols', cell: ({ symbols }) => marketsWords(symbols) },
        {
          head: 'Condition',
          cell: ({ rules }) =>
            rules.length === 0
              ? 'no rules'
              : rules.map(({ rule_id: id, kind, params }) => <div key={id}>{ruleWords({ kind, params: { ...params } })}</div>),
        },
        { head: 'Now', cell: (watchlist) => <Firing watchlist={watchlist} /> },
        {
          head: <Hidden>Actions</Hidden>,
          cell: (watchlist) => (
            <ListActs
              name={watchlist.name}
              muted={watchlist.muted}
              isPending={isPending}
              onEdit={() => onOpen(watchlist.watchlist_id)}
              onMute={(muted) => mutate({ watchlist_id: watchlist.watchlist_id, muted })}
              onDelete={() => onDelete(watchlist)}
            />
          ),
          className: records['acts'],
        },
      ]}
    />
  );
}

const FIRING_MAX = 3;
/** States in which the condition holds or has not fully recovered. */
const HOLDING: ReadonlySet<string> = new Set(['firing', 'recovering']);

function Firing({ watchlist: { rules, symbols } }: { readonly watchlist: WatchlistRecord }) {
  const firing = rules.flatMap(({ standings, kind, params }) =>
    standings
      .filter(({ state }) => HOLDING.has(state))
      .map(({ symbol }) => `${marketWords(symbol)}: ${ruleWords({ kind, params: { ...params } })}`),
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
