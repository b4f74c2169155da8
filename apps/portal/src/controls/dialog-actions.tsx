import sheet from '../theme/sheet.module.css';

interface DialogActionsProps {
  /** What the button that sends the form says. */
  readonly action: string;
  readonly isDisabled: boolean;
  /** What it costs; nothing by default. */
  readonly cost?: string;
  readonly onClose: () => void;
}

/** The end of a dialog's form: do it, or leave it, and what it costs. */
export function DialogActions({ action, isDisabled, cost = 'costs nothing', onClose }: DialogActionsProps) {
  return (
    <p className={sheet['actions']}>
      <button type="submit" className={sheet['go']} disabled={isDisabled}>
        {action}
      </button>
      <button type="button" onClick={onClose}>
        Leave it
      </button>
      <span className={sheet['soft']}>{cost}</span>
    </p>
  );
}
