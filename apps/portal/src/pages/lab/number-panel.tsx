import { numberAt, type NumberEdits, type NumberFault, type PolicyNumbers, type NumberField } from '@market-state/labeler/policy-numbers';
import { counted } from '@market-state/packet-figures';
import { useId } from 'react';
import { useUrlOpen } from '../../service/url-state';
import { withEdit, withoutEdit, type NumberGroup, NUMBER_GROUPS, boundWords, nameOf } from './policy-numbers';
import styles from './lab.module.css';

interface NumberInputProps {
  readonly field: NumberField;
  /** Undefined if the published policy is of another edition without this number. */
  readonly published: number | boolean | undefined;
  /** Undefined if not edited. */
  readonly text: string | undefined;
  readonly faults: readonly string[];
  readonly onEdit: (text: string) => void;
}

const SLIDER_STEPS = 200;

function NumberInput({ field, published, text, faults, onEdit }: NumberInputProps) {
  const id = useId();
  if (published === undefined) return null;
  const { name, unit } = nameOf(field);
  const value = text ?? String(published);
  const isWrong = faults.length > 0;
  const described = `${id}-bounds${isWrong ? ` ${id}-faults` : ''}`;
  const description = { 'aria-invalid': isWrong, 'aria-describedby': described };
  return (
    <div className={styles['number-field']} data-edited={text !== undefined}>
      <label htmlFor={id}>
        {name}
        {unit === '' ? '' : `, ${unit}`}
      </label>
      {typeof published === 'boolean' ? (
        <select id={id} value={value} onChange={({ target }) => onEdit(target.value)} {...description}>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : (
        <input
          id={id}
          inputMode="decimal"
          size={8}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onEdit(target.value)}
          {...description}
        />
      )}
      <Slider field={field} name={name} value={Number(value)} onEdit={onEdit} />
      <span id={`${id}-bounds`} className={styles['soft']}>
        published {typeof published === 'boolean' ? (published ? 'yes' : 'no') : published}
        {boundWords(field) === '' ? '' : `; ${boundWords(field)}`}
      </span>
      {text === undefined ? null : (
        <button type="button" onClick={() => onEdit(String(published))} aria-label={`Reset ${name}`}>
          Reset
        </button>
      )}
      {isWrong ? (
        <p id={`${id}-faults`} className={styles['fault']}>
          {faults.join('; ')}
        </p>
      ) : null}
    </div>
  );
}

function Slider({
  field: { kind, least, most },
  name,
  value,
  onEdit,
}: Pick<NumberInputProps, 'field' | 'onEdit'> & { name: string; value: number }) {
  if (kind !== 'number' || least === null || most === null) return null;
  const step = (most.value - least.value) / SLIDER_STEPS;
  return (
    <input
      type="range"
      aria-label={`${name}, slider`}
      min={least.isIn ? least.value : least.value + step}
      max={most.isIn ? most.value : most.value - step}
      step={step}
      value={Number.isNaN(value) ? least.value : value}
      onChange={({ target }) => onEdit(String(Number(Number(target.value).toFixed(6))))}
    />
  );
}

interface NumberPanelProps {
  readonly numbers: PolicyNumbers;
  readonly edits: NumberEdits;
  readonly faults: readonly NumberFault[];
  /** Hidden from screen readers, which announce the original status instead. */
  readonly outcome: string;
  readonly onEdit: (edits: NumberEdits) => void;
}

export function NumberPanel({ numbers, edits, faults, outcome, onEdit }: NumberPanelProps) {
  const editTotal = Object.keys(edits).length;
  const known = new Set(NUMBER_GROUPS.flatMap(({ fields }) => fields.map(({ path }) => path)));
  const elsewhere = faults.filter(({ path }) => !known.has(path));
  return (
    <section className={styles['panel']} aria-label="Numbers">
      <div className={styles['head']}>
        <h2>
          Numbers <span className={styles['soft']}>{editTotal === 0 ? 'all as published' : `${counted(editTotal, 'number')} edited`}</span>
        </h2>
        <button type="button" onClick={() => onEdit({})} disabled={editTotal === 0}>
          Reset all
        </button>
      </div>
      {faults.length === 0 ? null : (
        <p role="alert" className={styles['fault']}>
          These numbers are not a valid policy, so nothing was labeled: {counted(faults.length, 'fault')}, shown at the fields.
        </p>
      )}
      {elsewhere.map(({ path, says }) => (
        <p key={`${path} ${says}`} className={styles['fault']}>
          <code>{path}</code> {says}{' '}
          {path in edits ? (
            <button type="button" onClick={() => onEdit(withoutEdit(edits, path))}>
              Remove
            </button>
          ) : null}
        </p>
      ))}
      {NUMBER_GROUPS.map((group) => (
        <Group key={group.section} group={group} numbers={numbers} edits={edits} faults={faults} onEdit={onEdit} />
      ))}
      <p className={styles['echo']} aria-hidden="true">
        {outcome}
      </p>
    </section>
  );
}

function Group({
  group: { section, title, decides, fields },
  numbers,
  edits,
  faults,
  onEdit,
}: Omit<NumberPanelProps, 'outcome'> & { readonly group: NumberGroup }) {
  const [isOpenInUrl, setIsOpen] = useUrlOpen(section);
  // The URL lists the groups whose state differs from the default, in which only the first is open.
  const isOpen = isOpenInUrl !== (section === NUMBER_GROUPS[0]?.section);
  const editTotal = fields.filter(({ path }) => path in edits).length;
  const faultTotal = faults.filter(({ path }) => path.startsWith(`${section}.`)).length;
  const note = [editTotal === 0 ? '' : `${editTotal} edited`, faultTotal === 0 ? '' : counted(faultTotal, 'fault')].filter(
    (each) => each !== '',
  );
  return (
    <details
      className={styles['group']}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) setIsOpen(!isOpenInUrl);
      }}
    >
      <summary>
        <b>{title}</b> <span className={styles['soft']}>{[decides, ...note].join('; ')}</span>
      </summary>
      {isOpen ? (
        <div className={styles['fields']}>
          {fields.map((field) => (
            <NumberInput
              key={field.path}
              field={field}
              published={numberAt(numbers, field.path)}
              text={edits[field.path]}
              faults={faults.filter(({ path }) => path === field.path).map(({ says }) => says)}
              onEdit={(text) => onEdit(withEdit(edits, field.path, text, numberAt(numbers, field.path)))}
            />
          ))}
        </div>
      ) : null}
    </details>
  );
}
