import type { ReactNode } from 'react';
import styles from './conditions.module.css';

/** Reserves the space immediately but draws outlines only after 150 ms, so that a fast response does not flicker. */
export function Outline({ rows, label = 'Loading' }: { readonly rows: number; readonly label?: string }) {
  return (
    <div className={styles['outline']} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_each, row) => (
        <span key={row} />
      ))}
    </div>
  );
}

export function Empty({ why, children }: { readonly why: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <p>{why}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}
