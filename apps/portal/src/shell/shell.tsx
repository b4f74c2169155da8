import { type ReactNode, useEffect } from 'react';
import { useLocation, useRoute } from 'wouter';
import { PAGES } from '../pages';
import { HelpDialog } from './help-dialog';
import { Navigation } from './navigation';
import styles from './shell.module.css';
import { useShortcuts } from './shortcuts';
import { StatusBar } from './status-bar';

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  useShortcuts();
  useTitle();
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <Navigation />
      <main id="content" className={styles['content']} tabIndex={-1}>
        {children}
      </main>
      <StatusBar />
      <HelpDialog />
    </div>
  );
}

function useTitle(): void {
  const [address] = useLocation();
  const [, symbol] = useRoute(PAGES.symbol.pattern);
  const page = Object.values(PAGES).find(({ pattern }) => pattern.split('/')[1] === address.split('/')[1]);
  const title = symbol?.symbol ?? page?.title ?? PAGES.live.title;
  useEffect(() => {
    document.title = `${title} · Market state`;
  }, [title]);
}
