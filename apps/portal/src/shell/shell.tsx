import { counted } from '@market-state/packet-figures';
import { Component, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { PAGES } from '../pages';
import { notePage, useMetering } from '../service/meter';
import { marketNamed, marketWords } from '../packets/market-name';
import styles from './shell.module.css';
import { type DialogName, Navigation } from './navigation';
import { useShortcuts } from '../controls/keys';
import { serviceLeadMs, useNowMs } from '../service/clock';
import { useCredits, useSession } from '../service/session';
import { useFilling } from '../service/use-readiness';
import { bareClock, zoneName } from '../time/clock';
import { ProblemNotice } from '../status-components/conditions';

/**
 * A page file failed to load. Browsers do not refetch a failed module, so only a reload helps; it also picks up a newer
 * release.
 */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super('A part of this page could not be loaded.', { cause });
  }
}

interface Props {
  readonly children: ReactNode;
}

/** Replaces a failed page with its error; the rest of the shell keeps working. */
export class PageFailure extends Component<Props, { readonly error: unknown }> {
  override readonly state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const retry = error instanceof PageNotLoaded ? () => location.reload() : () => this.setState({ error: null });
    return <ProblemNotice error={error} retry={retry} />;
  }
}

const whole = (credits: number): string => Math.round(credits).toLocaleString('en-US');

function StatusBar() {
  const nowMs = useNowMs();
  const { data: session } = useSession();
  return (
    <footer className={styles['status']}>
      <span>
        <b>{bareClock(nowMs, 'time')}</b> {zoneName(nowMs)}
      </span>
      <Skew />
      {session === undefined ? null : <Cost plan={session.plan?.tier ?? ''} />}
    </footer>
  );
}

function Cost({ plan }: { readonly plan: string }) {
  const { spent, spentOnPage, perHour } = useMetering();
  const credits = useCredits()?.find(({ kind }) => kind === 'market_state');
  return (
    <>
      <span className={styles['push']} title="Charged since this page was opened">
        <span className={styles['wide']}>this page </span>
        <b>{whole(spentOnPage)}</b> credits
      </span>
      <span title="Maximum cost of this page's open streams and repeated reads">
        <b>{whole(perHour)}</b> credits/h
      </span>
      <span title="Charged since this tab was opened">
        spent <b>{whole(spent)}</b>
      </span>
      {credits === undefined ? null : (
        <span
          title={`${counted(credits.left, 'credit')} of the ${plan} plan, ${whole(credits.reservedForCalls)} of them reserved for calls`}
        >
          left <b>{whole(credits.left)}</b>
        </span>
      )}
    </>
  );
}

/** Shown while the history of recordings is being filled: their newest data is not that of now. */
function HistoryNotice() {
  const filling = useFilling();
  if (filling.length === 0) return null;
  return (
    <p className={styles['filling']} role="note">
      <b>Filling the history.</b> The newest data of these markets is not current yet:
      {filling.map(marketNamed).map(({ symbol, reached_utc: reached, filled_share: share }) => (
        <span key={symbol}>
          {marketWords(symbol)} <progress value={share} aria-label={`History of ${marketWords(symbol)}`} /> to{' '}
          {bareClock(Date.parse(reached), 'time')} {zoneName(Date.parse(reached))}
        </span>
      ))}
    </p>
  );
}

/** Clock difference from which the local clock counts as wrong; data are always up to a few seconds old. */
const SKEW_MS = 5_000;

function Skew() {
  const lead = serviceLeadMs();
  if (lead === null || lead < SKEW_MS) return null;
  return <span className={styles['skew']}>this clock is {Math.round(lead / 1_000)} s behind the service</span>;
}

/** Loaded when first opened. */
const DIALOGS = {
  palette: lazy(() => import('./on-demand').then(({ Palette: each }) => ({ default: each }))),
  help: lazy(() => import('./on-demand').then(({ HelpDialog: each }) => ({ default: each }))),
  account: lazy(() => import('./on-demand').then(({ AccountDialog: each }) => ({ default: each }))),
};

export function Shell({ children }: { readonly children: ReactNode }) {
  const [dialog, open] = useState<DialogName | null>(null);
  useShortcuts(open);
  useTitle();
  const Dialog = dialog === null ? null : DIALOGS[dialog];
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#content">
        Skip to the content
      </a>
      <Navigation openDialog={open} />
      <main id="content" className={styles['content']} tabIndex={-1}>
        <HistoryNotice />
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
  const title = symbol === null ? (page?.title ?? 'Page not found') : marketWords(symbol.symbol);
  useEffect(notePage, [address]);
  useEffect(() => {
    document.title = title === PAGES.home.title ? 'Market State' : `${title} · Market State`;
  }, [title]);
}
