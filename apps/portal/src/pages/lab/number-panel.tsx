import { numberAt, type NumberEdits, type NumberFault, type PolicyNumbers } from '@market-state/labeler/policy-numbers';
import { counted } from '@market-state/packet-figures';
import { useUrlOpen } from '../../service/url-state';
import { withEdit, withoutEdit } from './edits';
import styles from './lab.module.css';
import { type NumberGroup, NUMBER_GROUPS } from './number-groups';
import { NumberInput } from './number-input';

interface NumberPanelProps {
  readonly numbers: PolicyNumbers;
  readonly edits: NumberEdits;
  readonly faults: readonly NumberFault[];
  /** What came of the edits, for screens on which it stands below; readers of the page hear it from where it stands. */
  readonly outcome: string;
  readonly onEdit: (edits: NumberEdits) => void;
}

/** Every number of the policy that can be edited, in groups by what it decides, with what is wrong at its own field. */
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
          These numbers are no policy, so nothing was labelled: {counted(faults.length, 'fault')}, each at its field.
        </p>
      )}
      {elsewhere.map(({ path, says }) => (
        <p key={`${path} ${says}`} className={styles['fault']}>
          <code>{path}</code> {says}{' '}
          {path in edits ? (
            <button type="button" onClick={() => onEdit(withoutEdit(edits, path))}>
              Leave it out
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
  // The address says which groups are not as they usually are: the first is open.
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
