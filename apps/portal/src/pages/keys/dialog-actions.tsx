import styles from './keys.module.css';

interface DialogActionsProps {
  /** What the button that sends the form says. */
  readonly action: string;
  readonly isDisabled: boolean;
  readonly onClose: () => void;
}

/** The end of a form about a key: do it, or leave it. */
export function DialogActions({ action, isDisabled, onClose }: DialogActionsProps) {
  return (
    <p className={styles['actions']}>
      <button type="submit" className={styles['go']} disabled={isDisabled}>
        {action}
      </button>
      <button type="button" onClick={onClose}>
        Leave it
      </button>
      <span className={styles['soft']}>costs nothing</span>
    </p>
  );
}
