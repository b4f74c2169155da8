import type { ReactNode } from 'react';
import { AccountNote } from './account-form';

/** Said where a reload has lost the token of a mailed link. `children` say how long the link works, and what else can be done. */
export function LostLink({ children }: { readonly children: ReactNode }) {
  return (
    <AccountNote title="Open the link in your mail again">
      <p>This page was reloaded. It keeps what your link carries in memory alone, so that nobody finds it in this browser later.</p>
      {children}
    </AccountNote>
  );
}
