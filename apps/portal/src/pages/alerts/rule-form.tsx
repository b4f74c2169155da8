import type { ReactNode } from 'react';
import styles from './alerts.module.css';
import { KindChoice, KindFields, type RuleFieldsProps } from './kind-fields';
import { MoreSettings } from './setting-fields';

/** A rule: its kind, the setting or two that it is about, and the rest behind a line that says how it stands. */
export function RuleForm({ children, ...rule }: RuleFieldsProps & { readonly children?: ReactNode }) {
  return (
    <>
      <div className={styles['fields']}>
        <KindChoice {...rule} />
        <KindFields {...rule} />
        {children}
      </div>
      <MoreSettings {...rule} />
    </>
  );
}
