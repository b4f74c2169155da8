import { whole } from '../../market/numbers';
import { Choice } from '../../controls/choice';
import { Table } from '../../controls/table';
import { counted, words } from '@market-state/packet-figures';
import { useRef, useState, useId } from 'react';
import { Empty, ProblemNotice } from '../../status-components/conditions';
import { marketNamed, marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { AlertDestination } from './alert-destination';
import styles from './alerts.module.css';
import { changesOf, type Draft, type Rule, toWire, usualRule, ruleWords, fromRecord } from './rule';
import { isSaidAtRules, NO_FAULTS, refusedFields, type Faults, faultsAt, ruleFaults } from './rule-faults';
import { SaveDraft, toFirstFault } from './save-draft';
import { costWords, useCreateWatchlist, useUpdateWatchlist, type WatchlistRecord, useRehearseWatchlist } from './use-alerts';
import { useSymbols } from '../../service/use-catalog';
import { Boxes, Text } from './rule-controls';
import { RuleForm } from './rule-fields';
import { BOUNDS } from '../../generated/bounds';
import records from '../../controls/records.module.css';
import { SpendButton } from '../../controls/buttons';
import { service } from '../../service/client';
import { urlWord, useUrlState } from '../../service/url-state';
import { clockSpan } from '../../time/clock';

const WATCHLIST = BOUNDS.WatchlistRequest;

/** A stable React key for a rule while others are added and removed. */
interface KeyedRule {
  readonly key: number;
  readonly rule: Rule;
}

interface WatchlistDraft extends Omit<Draft, 'rules'> {
  readonly rules: readonly KeyedRule[];
}

/** Null if a rule's kind is unknown to this version and would be lost by saving. */
function draftOf({ name, symbols, rules, muted }: WatchlistRecord): WatchlistDraft | null {
  const known = rules.map(fromRecord).filter((rule) => rule !== null);
  return known.length < rules.length ? null : { name, symbols, muted, rules: known.map((rule, key) => ({ key, rule })) };
}

const plainDraft = ({ rules, name, ...draft }: WatchlistDraft): Draft => ({
  ...draft,
  name: name.trim(),
  rules: rules.map(({ rule }) => rule),
});

function draftFaults({ name, symbols, rules }: WatchlistDraft): Faults {
  const { minItems, maxItems } = WATCHLIST.symbols;
  return new Map([
    ...(name.trim() === '' ? ([['name', 'Enter a name.']] as const) : []),
    ...(symbols.length < minItems ? ([['symbols', 'Choose a symbol.']] as const) : []),
    ...(symbols.length > maxItems ? ([['symbols', `Choose at most ${maxItems} symbols.`]] as const) : []),
    ...rules.flatMap(({ rule }, index) => [...ruleFaults(rule)].map(([field, fault]) => [`rules.${index}.${field}`, fault] as const)),
  ]);
}

const faultsOfRule = (faults: Faults, index: number): Faults => faultsAt(faults, `rules.${index}`);

interface WatchlistFormProps {
  readonly draft: WatchlistDraft;
  readonly faults: Faults;
  readonly onChange: (draft: WatchlistDraft) => void;
  readonly onTry: (rule: Rule, symbol: string) => void;
}

const RULES_MAX = WATCHLIST.rules.maxItems;

function WatchlistForm({ draft, faults, onChange, onTry }: WatchlistFormProps) {
  const { name, symbols, rules } = draft;
  const known = useSymbols();
  const add = (): void => {
    const key = 1 + Math.max(-1, ...rules.map((each) => each.key));
    onChange({ ...draft, rules: [...rules, { key, rule: usualRule('severity_at_least') }] });
  };
  return (
    <>
      <div className={styles['fields']}>
        <Text
          label="Name"
          value={name}
          maxLength={WATCHLIST.name.maxLength}
          autoComplete="off"
          fault={faults.get('name')}
          onType={(next) => onChange({ ...draft, name: next })}
        />
      </div>
      <Boxes
        label={`Symbols (${symbols.length} of at most ${WATCHLIST.symbols.maxItems})`}
        words={[...new Set([...known, ...symbols])].sort()}
        say={marketWords}
        chosen={symbols}
        fault={faults.get('symbols')}
        onChoose={(chosen) => onChange({ ...draft, symbols: chosen })}
      />
      {rules.length === 0 ? <p className={sheet['soft']}>No rules yet, so this watchlist never fires.</p> : null}
      {rules.map(({ key, rule }, index) => (
        <RuleOfList
          key={key}
          title={`Rule ${index + 1}`}
          rule={rule}
          faults={faultsOfRule(faults, index)}
          symbol={symbols[0]}
          onChange={(next) => onChange({ ...draft, rules: rules.map((each) => (each.key === key ? { key, rule: next } : each)) })}
          onRemove={() => onChange({ ...draft, rules: rules.filter((each) => each.key !== key) })}
          onTry={onTry}
        />
      ))}
      <p className={sheet['actions']}>
        <button type="button" disabled={rules.length >= RULES_MAX} onClick={add}>
          Add rule
        </button>
        <span className={sheet['soft']}>
          {counted(rules.length, 'rule')} of at most {RULES_MAX}; each is evaluated on every symbol
        </span>
      </p>
    </>
  );
}

interface RuleOfListProps {
  readonly title: string;
  readonly rule: Rule;
  readonly faults: Faults;
  readonly symbol: string | undefined;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
  readonly onTry: WatchlistFormProps['onTry'];
}

function RuleOfList({ title, rule, faults, symbol, onChange, onRemove, onTry }: RuleOfListProps) {
  const id = useId();
  return (
    <section className={styles['setting']} aria-labelledby={id}>
      <div className={sheet['head']}>
        <h3 id={id}>
          {title} {faults.size === 0 ? <span className={sheet['soft']}>{ruleWords(rule)}</span> : null}
        </h3>
        <span className={sheet['push']} />
        {symbol === undefined || faults.size > 0 ? null : (
          <button type="button" onClick={() => onTry(rule, symbol)} aria-label={`Test only ${title}`}>
            Test this rule
          </button>
        )}
        <button type="button" onClick={onRemove} aria-label={`Remove ${title}`}>
          Remove
        </button>
      </div>
      <RuleForm rule={rule} faults={faults} onChange={onChange} />
    </section>
  );
}

const NEW: WatchlistDraft = { name: '', symbols: [], rules: [{ key: 0, rule: usualRule('severity_at_least') }], muted: false };
const FIELDS = ['name', 'symbols', 'rules'];

interface WatchlistPanelProps {
  readonly saved: WatchlistRecord | null;
  readonly onTry: (rule: Rule, symbol: string) => void;
  readonly onCreated: (watchlistId: string) => void;
  readonly onClose: () => void;
}

export function WatchlistPanel({ saved, onTry, onCreated, onClose }: WatchlistPanelProps) {
  const first = saved === null ? NEW : draftOf(saved);
  return (
    <section className={sheet['panel']} aria-label={saved === null ? 'New watchlist' : 'Edit watchlist'}>
      <div className={sheet['head']}>
        <h2>{saved === null ? 'New watchlist' : saved.name}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {first === null ? (
        <Empty why="This watchlist has a rule that this page does not know.">Reload the page to get the newest version.</Empty>
      ) : (
        <Editor saved={saved} first={first} onTry={onTry} onCreated={onCreated} />
      )}
    </section>
  );
}

function Editor({ saved, first, onTry, onCreated }: Omit<WatchlistPanelProps, 'onClose'> & { readonly first: WatchlistDraft }) {
  const [draft, setDraft] = useState(first);
  const [isTried, setIsTried] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const create = useCreateWatchlist(({ watchlist_id: id }) => onCreated(id));
  const update = useUpdateWatchlist();
  const error = create.error ?? update.error;
  const own = draftFaults(draft);
  const shown = new Map([...refusedFields(error), ...(isTried ? own : NO_FAULTS)]);
  const before = plainDraft(first);
  const after = plainDraft(draft);
  const changes = saved === null || own.size > 0 ? null : changesOf(before, after);
  const save = (): void => {
    setIsTried(true);
    if (own.size > 0) return void requestAnimationFrame(() => toFirstFault(place.current));
    const wish = { name: after.name, symbols: [...after.symbols], rules: after.rules.map(toWire) };
    if (saved === null) create.mutate(wish);
    else update.mutate({ watchlist_id: saved.watchlist_id, ...wish, muted: after.muted });
  };
  const undo = (): void => {
    setDraft(first);
    setIsTried(false);
  };
  return (
    <>
      <div ref={place} className={styles['editor']}>
        <WatchlistForm draft={draft} faults={shown} onChange={setDraft} onTry={onTry} />
        {saved === null ? null : (
          <label className={styles['check']}>
            <input type="checkbox" checked={draft.muted} onChange={({ target }) => setDraft({ ...draft, muted: target.checked })} /> Muted:
            rules are still evaluated, but no messages are sent
          </label>
        )}
      </div>
      {draft.symbols.length === 0 || draft.rules.length === 0 ? null : <AlertDestination symbols={draft.symbols} />}
      <SaveDraft
        changes={changes}
        action={saved === null ? 'Save watchlist' : 'Save changes'}
        isSending={create.isPending || update.isPending}
        isSaved={update.isSuccess}
        faults={isTried ? own.size : 0}
        cost={
          saved === null
            ? costWords('createWatchlist', { name: '', symbols: [], rules: [] })
            : costWords('updateWatchlist', { watchlist_id: saved.watchlist_id })
        }
        onSave={save}
        {...(saved === null ? {} : { onUndo: undo })}
      />
      {error === null || isSaidAtRules(error, FIELDS) ? null : <ProblemNotice error={error} />}
      {saved === null ? null : <WatchlistRehearsal saved={saved} hasChanges={changes === null || changes.length > 0} />}
    </>
  );
}

const HOURS = ['1', '6', '24', '168'] as const;
const HOUR_WORDS: Readonly<Record<(typeof HOURS)[number], string>> = { 1: 'hour', 6: '6 hours', 24: 'day', 168: '7 days' };
const NEWEST = urlWord(HOURS, '24');
const HOUR_MS = 3_600_000;

function WatchlistRehearsal({ saved, hasChanges }: { readonly saved: WatchlistRecord; readonly hasChanges: boolean }) {
  const [hours, setHours] = useUrlState('newest_hours', NEWEST);
  const { mutate, data, isPending, error } = useRehearseWatchlist();
  const { watchlist_id: watchlistId } = saved;
  const rehearse = (): void => {
    const from = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
    mutate({ watchlist_id: watchlistId, from });
  };
  return (
    <section aria-label="Test the watchlist" className={styles['rehearsed']}>
      <div className={sheet['head']}>
        <h3>Would it have fired?</h3>
        <Choice label="Last" value={hours} options={HOURS} say={(each) => HOUR_WORDS[each]} onChoose={setHours} />
        <SpendButton
          action="Test"
          busy="Testing…"
          creditsAtMost={service.creditsAtMost('rehearseWatchlist', { watchlist_id: watchlistId })}
          isBusy={isPending}
          charged={data?.charged ?? null}
          onPress={rehearse}
        />
      </div>
      {hasChanges ? <p className={sheet['soft']}>This tests the saved version, without your unsaved changes.</p> : null}
      <ProblemNotice error={error} />
      {data === undefined ? null : <Outcome rehearsal={data.rehearsal} saved={saved} />}
    </section>
  );
}

type Rehearsal = NonNullable<ReturnType<typeof useRehearseWatchlist>['data']>['rehearsal'];

const COUNTS = [
  ['Fired', 'triggered'],
  ['Recovered', 'recovered'],
  ['Suppressed', 'suppressed'],
  ['Flapped', 'flaps'],
  ['Gaps', 'holes'],
] as const;

const messagesOf = ({ triggered, recovered }: Rehearsal['rules'][number]): number => triggered + recovered;
const hasNews = (rule: Rehearsal['rules'][number]): boolean => messagesOf(rule) + rule.suppressed > 0;

function Outcome({ rehearsal, saved }: { readonly rehearsal: Rehearsal; readonly saved: WatchlistRecord }) {
  const { rules, deliveries, market_state_credits: credits, packets_looked_at: packets, from_utc: from, to_utc: to } = rehearsal;
  const wordsOf = (ruleId: string | null): string => {
    const rule = saved.rules.find(({ rule_id: id }) => id === ruleId);
    return rule === undefined ? 'a removed rule' : ruleWords({ kind: rule.kind, params: { ...rule.params } });
  };
  const rows = [...rules].filter(hasNews).sort((a, b) => messagesOf(b) - messagesOf(a));
  const silent = rules.length - rows.length;
  return (
    <>
      <p role="status">
        From {clockSpan(from, to)}, over {counted(packets, 'packet')}: <b>{counted(deliveries, 'message')} to each endpoint</b>,{' '}
        {counted(credits, 'credit')} for each.
      </p>
      {rows.length === 0 ? null : (
        <Table
          className={records['table']}
          caption="Messages by rule and symbol"
          rows={rows}
          keyOf={(rule) => `${rule.rule_index} ${marketNamed(rule).symbol}`}
          columns={[
            { head: 'Rule', cell: (rule) => wordsOf(rule.rule_id) },
            { head: 'Symbol', cell: (rule) => marketWords(marketNamed(rule).symbol) },
            ...COUNTS.map(([title, name]) => ({
              head: title,
              cell: (rule: Rehearsal['rules'][number]) => whole(rule[name]),
              className: records['number'],
            })),
            { head: 'At the end', cell: (rule) => words(rule.state) },
          ]}
        />
      )}
      {silent === 0 ? null : (
        <p className={sheet['soft']}>
          {silent === 1 ? '1 rule and symbol' : `${whole(silent)} rules and symbols`} would have sent nothing.
        </p>
      )}
    </>
  );
}
