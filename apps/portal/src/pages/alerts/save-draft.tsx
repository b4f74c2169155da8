import { counted } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';

interface SaveDraftProps {
  /** What it would change, as sentences; null where nothing of it is saved yet. */
  readonly changes: readonly string[] | null;
  readonly action: string;
  readonly isSending: boolean;
  /** Said once it is saved. */
  readonly isSaved: boolean;
  /** Number of fields with a fault. */
  readonly faults: number;
  readonly cost: string;
  readonly onSave: () => void;
  /** Drops what is not saved; absent where nothing is. */
  readonly onUndo?: () => void;
}

/** The end of a form for something saved: what would change, then the buttons that save or drop it. */
export function SaveDraft({ changes, action, isSending, isSaved, faults, cost, onSave, onUndo }: SaveDraftProps) {
  const isSame = changes?.length === 0;
  return (
    <div className={styles['save']}>
      {changes === null || isSame ? null : (
        <section aria-label="What changes">
          <h3>What changes</h3>
          <ul className={styles['changes']}>
            {changes.map((change, index) => (
              <li key={`${index} ${change}`}>{change}</li>
            ))}
          </ul>
        </section>
      )}
      <p className={sheet['actions']}>
        <button type="button" className={sheet['go']} disabled={isSending || isSame} onClick={onSave}>
          {isSending ? 'Saving…' : action}
        </button>
        {isSame || onUndo === undefined ? null : (
          <button type="button" disabled={isSending} onClick={onUndo}>
            Undo
          </button>
        )}
        <span className={sheet['soft']}>{cost}</span>
        <span role="status">{isSame && isSaved ? 'Saved.' : isSame ? 'As saved.' : ''}</span>
        {faults === 0 ? null : (
          <span role="alert" className={sheet['fault']}>
            {counted(faults, 'field')} must be put right first.
          </span>
        )}
      </p>
    </div>
  );
}

/** Leads to the first field with a fault. */
export function toFirstFault(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
