import { counted } from '@market-state/packet-figures';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState, type FormEvent, useRef, Component } from 'react';
import { useLocation, useRoute, Link } from 'wouter';
import { PAGES, type Page } from '../pages';
import { notePage, useMetering } from '../service/meter';
import styles from './shell.module.css';
import { useShortcuts, SEARCH_ID } from './shortcuts';
import { serviceLeadMs, useNowMs } from '../service/clock';
import { useCredits, useSession } from '../service/session';
import { bareClock, zoneName } from '../time/clock';
import { CATALOG, symbolsOf } from '../service/use-catalog';
import { chooseTheme, useTheme } from '../theme/theme';
import { chooseZone, hasLocalZone, useZone, zoneTitle, zoneWords } from '../time/zone';
import { ProblemNotice } from '../status-components/problem-notice';

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

/** Pages with a shortcut are in the navigation; the product name links to the first. */
const ENTRIES = (Object.values(PAGES) as readonly Page[]).filter((page) => page.key !== undefined && page !== PAGES.home);

interface NavigationProps {
  readonly openDialog: (name: 'help' | 'account') => void;
}

function Navigation({ openDialog }: NavigationProps) {
  const theme = useTheme();
  const [location] = useLocation();
  const pages = useRef<HTMLElement>(null);
  // In newer browsers scrolling returns a promise, which React would treat as an effect cleanup.
  useEffect(() => {
    void pages.current?.querySelector(`.${styles['current']}`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [location]);
  const { data: session } = useSession();
  return (
    <header className={styles['top']}>
      <Link href={PAGES.home.pattern} className={styles['product']}>
        Market state
      </Link>
      <nav ref={pages} aria-label="Pages">
        {ENTRIES.map(({ pattern, title }) => (
          <Link key={pattern} href={pattern} className={(isActive) => (isActive ? styles['current'] : undefined) ?? ''}>
            {title}
          </Link>
        ))}
      </nav>
      <Search hasSession={session !== undefined} />
      <div className={styles['tools']}>
        <button
          type="button"
          onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
          aria-label={`Use the ${theme === 'dark' ? 'light' : 'dark'} theme`}
        >
          {theme === 'dark' ? 'Light' : 'Dark'}
        </button>
        {hasLocalZone() ? <ZoneSwitch /> : null}
        <button type="button" onClick={() => openDialog('help')} aria-label="Shortcuts and help">
          ?
        </button>
        {session === undefined ? (
          <Link href={PAGES.login.pattern} className={styles['who']}>
            Log in
          </Link>
        ) : (
          <button
            type="button"
            className={styles['who']}
            onClick={() => openDialog('account')}
            title={session.account?.email ?? ''}
            aria-label={`Account of ${session.tenant.name}`}
          >
            {session.tenant.name}
          </button>
        )}
      </div>
    </header>
  );
}

function ZoneSwitch() {
  const other = useZone() === 'utc' ? 'local' : 'utc';
  return (
    <button type="button" onClick={() => chooseZone(other)} aria-label={`Show ${zoneWords(other)}`}>
      {zoneTitle(other)}
    </button>
  );
}

const SymbolList = lazy(() => import('./on-demand').then(({ SymbolList: each }) => ({ default: each })));
const SYMBOLS_ID = 'symbols';

function Search({ hasSession }: { readonly hasSession: boolean }) {
  const queries = useQueryClient();
  const [, open] = useLocation();
  const [isUsed, setIsUsed] = useState(false);
  const [problem, setProblem] = useState('');
  const search = async (submitted: FormEvent<HTMLFormElement>): Promise<void> => {
    submitted.preventDefault();
    const form = submitted.currentTarget;
    const { searchTarget } = await import('./on-demand');
    const symbols = hasSession ? await queries.ensureQueryData(CATALOG).then(symbolsOf, () => null) : null;
    const found = searchTarget(String(new FormData(form).get('q') ?? ''), symbols);
    setProblem(found.problem);
    if (found.path === null) return;
    form.reset();
    open(found.path);
  };
  return (
    <form role="search" onSubmit={(submitted) => void search(submitted)} className={styles['search']}>
      <input
        id={SEARCH_ID}
        name="q"
        autoComplete="off"
        spellCheck={false}
        placeholder="Symbol or event id"
        aria-label="Symbol or event id"
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : 'search-problem'}
        list={SYMBOLS_ID}
        onFocus={() => setIsUsed(true)}
        onChange={() => setProblem('')}
      />
      {isUsed && hasSession ? (
        <Suspense fallback={null}>
          <SymbolList id={SYMBOLS_ID} />
        </Suspense>
      ) : null}
      {problem === '' ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <span id="search-problem" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
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

/** Clock difference from which the local clock counts as wrong; data are always up to a few seconds old. */
const SKEW_MS = 5_000;

function Skew() {
  const lead = serviceLeadMs();
  if (lead === null || lead < SKEW_MS) return null;
  return <span className={styles['skew']}>this clock is {Math.round(lead / 1_000)} s behind the service</span>;
}

/** Loaded when first opened. */
const DIALOGS = {
  help: lazy(() => import('./on-demand').then(({ HelpDialog: each }) => ({ default: each }))),
  account: lazy(() => import('./on-demand').then(({ AccountDialog: each }) => ({ default: each }))),
};

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
