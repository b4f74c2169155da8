import type { ReactNode } from 'react';
import styles from './figures.module.css';

/** A table that scrolls sideways where it is wider than its place; the keyboard reaches it. */
export function WideTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={styles['scroll']} aria-label={label} tabIndex={0}>
      <table>{children}</table>
    </section>
  );
}
