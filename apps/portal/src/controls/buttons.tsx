import { counted } from '@market-state/packet-figures';
import { type Role, useRoleGap } from '../service/session';
import sheet from '../theme/sheet.module.css';
import { type ComponentProps, useState } from 'react';

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

type Props = Omit<ComponentProps<'button'>, 'title'> & {
  /** Role that a session's account needs. */
  readonly needs?: Role;
};

/** A button that changes something; off, with the reason as its title, if the session's role doesn't allow it. */
export function ChangeButton({ needs = 'member', type = 'button', disabled = false, ...attributes }: Props) {
  const gap = useRoleGap(needs);
  return <button {...attributes} type={type} disabled={disabled || gap !== undefined} title={gap} />;
}

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly onCopied?: () => void;
}

export function CopyButton({ text, label, onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
      onCopied?.();
    } catch {
      setOutcome('refused');
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">
        {outcome === null ? '' : outcome === 'copied' ? 'Copied' : 'Copy blocked by the browser: select the text and copy it'}
      </span>
    </>
  );
}
