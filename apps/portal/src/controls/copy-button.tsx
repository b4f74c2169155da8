import { useState } from 'react';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, as the button says it. */
  readonly label: string;
  readonly onCopied?: () => void;
}

/** Copies a text; says when it could not be, as where the browser forbids it. */
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
        {outcome === null ? '' : outcome === 'copied' ? 'Copied' : 'The browser did not allow it: select the text and copy it'}
      </span>
    </>
  );
}
