import { counted } from '@market-state/packet-figures';
import { useRef, useState, useId } from 'react';
import { Empty } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import sheet from '../../theme/sheet.module.css';
import { AlertDestination } from './alert-destination';
import styles from './alerts.module.css';
import { changesOf, type Draft, type Rule, toWire, usualRule, ruleWords, fromRecord } from './rule';
import { isSaidAtRules, NO_FAULTS, refusedFields, type Faults, faultsAt, ruleFaults } from './rule-faults';
import { SaveDraft, toFirstFault } from './save-draft';
import { costWords, useCreateWatchlist, useUpdateWatchlist, type WatchlistRecord } from './use-alerts';
import { WatchlistRehearsal } from './watchlist-rehearsal';
import { useCatalog } from '../../service/use-catalog';
import { Boxes, Text } from './rule-controls';
import { RuleForm } from './rule-fields';
import { BOUNDS } from '../../generated/bounds';

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
  const catalog = useCatalog();
  const known = (catalog.data?.symbols ?? []).map(({ symbol }) => symbol);
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
        say={(symbol) => symbol}
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
