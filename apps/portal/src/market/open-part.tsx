import type { ReactNode } from 'react';
import { useUrlOpen } from '../service/url-state';
import styles from './market.module.css';

interface OpenPartProps {
  /** Its name in the address. */
  readonly name: string;
  readonly summary: ReactNode;
  /** Drawn while it is open. */
  readonly children: () => ReactNode;
}

/** What lies behind a line until it is opened; the address says that it is open. */
export function OpenPart({ name, summary, children }: OpenPartProps) {
  const [isOpen, setIsOpen] = useUrlOpen(name);
  const toggled = (next: boolean): void => {
    if (next !== isOpen) setIsOpen(next);
  };
  return (
    <details className={styles['packets']} open={isOpen} onToggle={({ currentTarget }) => toggled(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
}
