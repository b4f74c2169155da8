import { counted } from '@market-state/packet-figures';
import { type Role, useRoleGap } from '../service/role';
import sheet from '../theme/sheet.module.css';

interface SpendButtonProps {
  readonly action: string;
  readonly busy: string;
  /** Null if only the service knows the cost. */
  readonly creditsAtMost: number | null;
  readonly unit?: 'export credit';
  readonly isBusy: boolean;
  readonly charged?: number | null;
  /** Role that a session's account needs; default: any. */
  readonly needs?: Role;
  readonly onPress: () => void;
}

export function SpendButton({ action, busy, creditsAtMost, unit, isBusy, charged = null, needs = 'read_only', onPress }: SpendButtonProps) {
  const gap = useRoleGap(needs);
  return (
    <>
      <button type="button" onClick={onPress} disabled={isBusy || gap !== undefined} title={gap}>
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
