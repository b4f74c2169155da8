import { counted } from '@market-state/packet-figures';
import { useRoleGap } from '../../service/session';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';

interface SaveDraftProps {
  /** Null if nothing is saved yet. */
  readonly changes: readonly string[] | null;
  readonly action: string;
  readonly isSending: boolean;
  readonly isSaved: boolean;
  readonly faults: number;
  readonly cost: string;
  readonly onSave: () => void;
  readonly onUndo?: () => void;
}

export function SaveDraft({ changes, action, isSending, isSaved, faults, cost, onSave, onUndo }: SaveDraftProps) {
  const isSame = changes?.length === 0;
  const gap = useRoleGap('member');
  return (
    <div className={styles['save']}>
      {changes === null || isSame ? null : (
        <section aria-label="Unsaved changes">
          <h3>Unsaved changes</h3>
          <ul className={styles['changes']}>
            {changes.map((change, index) => (
              <li key={`${index} ${change}`}>{change}</li>
            ))}
          </ul>
        </section>
      )}
      <p className={sheet['actions']}>
        <button type="button" className={sheet['go']} disabled={isSending || isSame || gap !== undefined} onClick={onSave}>
          {isSending ? 'Saving…' : action}
        </button>
        {isSame || onUndo === undefined ? null : (
          <button type="button" disabled={isSending} onClick={onUndo}>
            Discard changes
          </button>
        )}
        <span className={sheet['soft']}>{gap ?? cost}</span>
        <span role="status">{isSame && isSaved ? 'Saved.' : isSame ? 'No changes.' : ''}</span>
        {faults === 0 ? null : (
          <span role="alert" className={sheet['fault']}>
            {counted(faults, 'field')} must be corrected first.
          </span>
        )}
      </p>
    </div>
  );
}

export function toFirstFault(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
