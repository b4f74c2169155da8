import { counted } from '@market-state/packet-figures';
import { useId } from 'react';
import { useCatalog } from '../../service/use-catalog';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { type Rule, ruleWords, usualRule } from './rule';
import { Boxes, Text } from './rule-controls';
import type { Faults } from './rule-faults';
import { RuleForm } from './rule-form';
import { faultsOfRule, WATCHLIST, type WatchlistDraft } from './watchlist-draft';

interface WatchlistFormProps {
  readonly draft: WatchlistDraft;
  readonly faults: Faults;
  readonly onChange: (draft: WatchlistDraft) => void;
  /** Rehearses one of its rules alone, in the form below. */
  readonly onTry: (rule: Rule, symbol: string) => void;
}

const RULES_MAX = WATCHLIST.rules.maxItems;

/** Name, symbols and rules of a watchlist. */
export function WatchlistForm({ draft, faults, onChange, onTry }: WatchlistFormProps) {
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
        label={`Symbols, ${symbols.length} of at most ${WATCHLIST.symbols.maxItems}`}
        words={[...new Set([...known, ...symbols])].sort()}
        say={(symbol) => symbol}
        chosen={symbols}
        fault={faults.get('symbols')}
        onChoose={(chosen) => onChange({ ...draft, symbols: chosen })}
      />
      {rules.length === 0 ? <p className={sheet['soft']}>It has no rule, so it wakes nobody yet.</p> : null}
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
          Add a rule
        </button>
        <span className={sheet['soft']}>
          {counted(rules.length, 'rule')} of at most {RULES_MAX}; each is looked at on each of its symbols
        </span>
      </p>
    </>
  );
}

interface RuleOfListProps {
  readonly title: string;
  readonly rule: Rule;
  readonly faults: Faults;
  /** The first symbol of its watchlist; undefined where it has none yet. */
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
          <button type="button" onClick={() => onTry(rule, symbol)} aria-label={`Rehearse ${title} alone`}>
            Rehearse it alone
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
