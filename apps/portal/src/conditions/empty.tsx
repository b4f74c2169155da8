import type { ReactNode } from 'react';
import styles from './conditions.module.css';

/** Where there is nothing: why, and what to do about it. */
export function Empty({ why, children }: { readonly why: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <p>{why}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}
