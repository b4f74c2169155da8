import type { ReactNode } from 'react';
import styles from './figures.module.css';

export function WideTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={styles['scroll']} aria-label={label} tabIndex={0}>
      <table>{children}</table>
    </section>
  );
}
