import type { ReactNode } from 'react';
import styles from './conditions.module.css';

/** A line over data that are not what a reader would take them for: recorded, simulated, delayed or stale. */
export function Ribbon({ children }: { readonly children: ReactNode }) {
  return (
    <p className={styles['ribbon']} role="note">
      {children}
    </p>
  );
}
