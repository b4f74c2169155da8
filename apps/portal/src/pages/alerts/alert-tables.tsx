import { counted, words } from '@market-state/packet-figures';
import type { ReactNode } from 'react';
import { ChangeButton } from '../../controls/change-button';
import { marketWords, marketsWords } from '../../packets/market-name';
import records from '../../controls/records.module.css';
import { NowhereMark } from './alert-destination';
import { ruleWords, settingWords } from './rule';
import { costWords, useUpdateWatchlist, type WatchlistRecord, type AlertRecord, useUpdateAlert } from './use-alerts';
import { zoned, clockBelow } from '../../time/clock';
import { ProblemNotice } from '../../status-components/problem-notice';
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

interface ListSectionProps {
  readonly title: string;
  readonly note: string;
  readonly muting: string;
  readonly error: unknown;
  readonly heads: readonly string[];
  readonly children: ReactNode;
}

function ListSection({ title, note, muting, error, heads, children }: ListSectionProps) {
  return (
    <section aria-label={title}>
      <div className={sheet['bar']}>
        <h2>
          {title} <span className={sheet['soft']}>{note}</span>
        </h2>
        <span className={sheet['push']} />
        <span className={sheet['soft']}>muting {muting}</span>
      </div>
      {error === null ? null : <ProblemNotice error={error} />}
      <table className={records['table']}>
        <caption className="visually-hidden">{title}, newest first</caption>
        <thead>
          <tr>
            {['Name', ...heads].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
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
      <span className={records['more']}>{since === null ? 'no packet yet' : `since ${clockBelow(Date.parse(since))}`}</span>
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
      {clockBelow(Date.parse(at), 'monthSecond')} {from} to {to}
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
      heads={['Condition', 'Now', zoned('Last changes')]}
    >
      {alerts.map((alert) => (
        <tr key={alert.alert_id} data-off={alert.muted} aria-current={alert.alert_id === openId}>
          <th scope="row">
            {alert.name} {alert.muted ? <span className={records['mark']}>muted</span> : <NowhereMark symbols={[alert.symbol]} />}
          </th>
          <td data-column="Condition">
            <SavedRule rule={alert.rule} />
          </td>
          <td data-column="Now">
            <RuleStates rule={alert.rule} />
          </td>
          <td data-column={zoned('Last changes')}>
            <LastChanges rule={alert.rule} />
          </td>
          <td className={records['acts']}>
            <ListActs
              name={alert.name}
              muted={alert.muted}
              isPending={isPending}
              onEdit={() => onEdit(alert)}
              onMute={(muted) => mutate({ alert_id: alert.alert_id, muted })}
              onDelete={() => onDelete(alert)}
            />
          </td>
        </tr>
      ))}
    </ListSection>
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
      heads={['Symbols', 'Condition', 'Now']}
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
            <td data-column="Symbols">{marketsWords(symbols)}</td>
            <td data-column="Condition">
              {rules.length === 0 ? 'no rules' : null}
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
