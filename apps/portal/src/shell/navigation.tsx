import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PAGES, type Page } from '../pages';
import { useSession } from '../service/session';
import { CATALOG, symbolsOf } from '../service/use-catalog';
import { chooseTheme, useTheme } from '../theme/theme';
import { chooseZone, hasLocalZone, useZone, zoneTitle, zoneWords } from '../time/zone';
import styles from './shell.module.css';
import { SEARCH_ID } from './shortcuts';

/** Pages that a letter opens are those of the navigation too; the product's name leads to the first. */
const ENTRIES = (Object.values(PAGES) as readonly Page[]).filter((page) => page.key !== undefined && page !== PAGES.home);

interface NavigationProps {
  readonly openDialog: (name: 'help' | 'account') => void;
}

export function Navigation({ openDialog }: NavigationProps) {
  const theme = useTheme();
  const [location] = useLocation();
  const pages = useRef<HTMLElement>(null);
  // Scrolling returns a promise in newer browsers, which React would take for what ends the effect.
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
        <button type="button" onClick={() => openDialog('help')} aria-label="Keys and help">
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

/** Shows all times in the zone of the browser, or in UTC again. */
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
