import { counted } from '@market-state/packet-figures';
import sheet from '../theme/sheet.module.css';

interface SpendButtonProps {
  /** What it does: `Derive it again`. */
  readonly action: string;
  /** While it is done: `Deriving…`. */
  readonly busy: string;
  /** Most credits that it can cost; null where only the service knows. */
  readonly creditsAtMost: number | null;
  /** What is spent, where it is not credits for reads. */
  readonly unit?: 'export credit';
  readonly isBusy: boolean;
  /** What the last one has cost; null before. */
  readonly charged?: number | null;
  readonly onPress: () => void;
}

/** A button that spends credits: it says how many at most before it is pressed, and how many it was afterwards. */
export function SpendButton({ action, busy, creditsAtMost, unit, isBusy, charged = null, onPress }: SpendButtonProps) {
  return (
    <>
      <button type="button" onClick={onPress} disabled={isBusy}>
        {isBusy ? busy : `${action}${priceWords(creditsAtMost, unit)}`}
      </button>
      {charged === null ? null : (
        <span role="status" className={sheet['soft']}>
          cost {counted(charged, 'credit')}
        </span>
      )}
    </>
  );
}

function priceWords(creditsAtMost: number | null, unit = 'credit'): string {
  if (creditsAtMost === null) return '';
  return creditsAtMost === 0 ? ', free' : `, at most ${counted(creditsAtMost, unit)}`;
}
