import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { PAGES } from '../pages';
import { notePage } from '../service/meter';
import { Navigation } from './navigation';
import { PageFailure } from './page-failure';
import styles from './shell.module.css';
import { useShortcuts } from './shortcuts';
import { StatusBar } from './status-bar';

/** Dialogs of the header, loaded when first opened. */
const DIALOGS = {
  help: lazy(() => import('./on-demand').then(({ HelpDialog: each }) => ({ default: each }))),
  account: lazy(() => import('./on-demand').then(({ AccountDialog: each }) => ({ default: each }))),
};

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [dialog, open] = useState<keyof typeof DIALOGS | null>(null);
  useShortcuts(useCallback(() => open('help'), []));
  useTitle();
  const Dialog = dialog === null ? null : DIALOGS[dialog];
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <Navigation openDialog={open} />
      <main id="content" className={styles['content']} tabIndex={-1}>
        {children}
      </main>
      <StatusBar />
      {Dialog === null ? null : (
        <PageFailure>
          <Suspense fallback={null}>
            <Dialog onClose={() => open(null)} />
          </Suspense>
        </PageFailure>
      )}
    </div>
  );
}

function useTitle(): void {
  const [address] = useLocation();
  const [, symbol] = useRoute(PAGES.symbol.pattern);
  const page = Object.values(PAGES).find(({ pattern }) => pattern.split('/')[1] === address.split('/')[1]);
  const title = symbol?.symbol ?? page?.title ?? 'Page not found';
  useEffect(notePage, [address]);
  useEffect(() => {
    document.title = `${title} · Market state`;
  }, [title]);
}
