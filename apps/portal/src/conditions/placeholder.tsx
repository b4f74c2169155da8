import type { ReactNode } from 'react';
import styles from './conditions.module.css';

/** Where content is still to come: its place at once, its outlines after 150 ms, so that a quick answer flickers nothing. */
export function Outline({ rows, label = 'Loading' }: { readonly rows: number; readonly label?: string }) {
  return (
    <div className={styles['outline']} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_each, row) => (
        <span key={row} />
      ))}
    </div>
  );
}

/** Where there is nothing: why, and what to do about it. */
export function Empty({ why, children }: { readonly why: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <p>{why}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}
