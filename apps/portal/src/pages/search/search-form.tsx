import { parseUtcInstant } from '@market-state/market-data';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Field } from '../../account/field';
import { useCatalog } from '../../service/use-catalog';
import { TimeField } from '../../controls/time-field';
import { spanFaults } from '../../time/field-time';
import sheet from '../../theme/sheet.module.css';
import { ALL, CHOICES, formQuery, type SearchQuery } from './search-query';
import styles from './search.module.css';
import { PAGE_CREDITS_MAX } from './use-search';

interface SearchFormProps {
  readonly query: SearchQuery | null;
  readonly faults: ReadonlyMap<string, string>;
  readonly isBusy: boolean;
  readonly onSearch: (query: SearchQuery) => void;
}

const WHEN = [
  ['from', 'From'],
  ['to', 'To'],
] as const;

/** All conditions of a search; an empty one is none. */
export function SearchForm({ query, faults, isBusy, onSearch }: SearchFormProps) {
  const catalog = useCatalog();
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map());
  const names = (catalog.data?.symbols ?? []).map(({ symbol }) => symbol);
  const chosen = query?.symbol ?? ALL;
  const symbols = [ALL, ...(chosen === ALL || names.includes(chosen) ? [] : [chosen]), ...names];
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const form = new FormData(submitted.currentTarget);
    const found = spanFaults(form, { isOpen: true });
    setWrong(found);
    if (found.size === 0) onSearch(formQuery(form));
  };
  return (
    <form onSubmit={submit} className={sheet['form']}>
      <Field
        label="Words, all of them"
        name="q"
        defaultValue={query?.q}
        maxLength={200}
        autoComplete="off"
        placeholder="of state, tags or reasons"
        fault={faults.get('q')}
      />
      <Choice name="symbol" title="Symbol" value={chosen}>
        {symbols.map((symbol) => (
          <option key={symbol} value={symbol}>
            {symbol === ALL ? 'all symbols' : symbol}
          </option>
        ))}
      </Choice>
      {CHOICES.map(([name, title, values, label]) => (
        <Choice key={name} name={name} title={title} value={query?.[name] ?? ''}>
          <option value="">any</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {label(value)}
            </option>
          ))}
        </Choice>
      ))}
      <Field
        label="Tags, all of them"
        name="tag"
        defaultValue={query?.tag.join(' ')}
        autoComplete="off"
        placeholder="depth:bid_heavy_top5:hot"
        fault={faults.get('tag')}
      />
      {WHEN.map(([name, label]) => (
        <div key={name} className={styles['when']}>
          <TimeField label={label} name={name} ms={timeIn(query?.[name])} fault={wrong.get(name) ?? faults.get(name)} />
        </div>
      ))}
      <p className={sheet['actions']}>
        <button type="submit" className={sheet['go']} disabled={isBusy}>
          {isBusy ? 'Searching…' : `Search, at most ${PAGE_CREDITS_MAX} credits`}
        </button>
        <span className={sheet['soft']}>for the newest 100 hits; all stored packets are searched</span>
      </p>
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Choice({ name, title, value, children }: ChoiceProps) {
  return (
    <label className={sheet['choice']}>
      {title}
      <select name={name} defaultValue={value}>
        {children}
      </select>
    </label>
  );
}

/** A time of the address; null where there is none. */
function timeIn(text: string | undefined): number | null {
  return parseUtcInstant(text ?? '') ?? null;
}
