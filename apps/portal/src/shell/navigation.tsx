import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { PAGES, type Page } from '../pages';
import { useSession } from '../service/session';
import { chooseTheme, useTheme } from '../theme/theme';
import { chooseZone, hasLocalZone, useZone, zoneTitle, zoneWords } from '../time/zone';
import { searchTarget } from './search-target';
import styles from './shell.module.css';
import { HELP_ID, SEARCH_ID } from './shortcuts';

/** Pages that a letter opens are those of the navigation too; the product's name leads to the first. */
const ENTRIES = (Object.values(PAGES) as readonly Page[]).filter((page) => page.key !== undefined && page !== PAGES.home);

export function Navigation() {
  const theme = useTheme();
  const [location] = useLocation();
  const pages = useRef<HTMLElement>(null);
  // Scrolling returns a promise in newer browsers, which React would take for what ends the effect.
  useEffect(() => {
    void pages.current?.querySelector(`.${styles['current']}`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [location]);
  const { data: session } = useSession({ enabled: false });
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
      <Search />
      <div className={styles['tools']}>
        <button
          type="button"
          onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
          aria-label={`Use the ${theme === 'dark' ? 'light' : 'dark'} theme`}
        >
          {theme === 'dark' ? 'Light' : 'Dark'}
        </button>
        {hasLocalZone() ? <ZoneSwitch /> : null}
        <button
          type="button"
          onClick={() => (document.getElementById(HELP_ID) as HTMLDialogElement | null)?.showModal()}
          aria-label="Keys and help"
        >
          ?
        </button>
        {session === undefined ? (
          <Link href={PAGES.login.pattern} className={styles['who']}>
            Log in
          </Link>
        ) : (
          <span className={styles['who']} title={session.account?.email ?? ''}>
            {session.tenant.name}
          </span>
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

function Search() {
  const [, open] = useLocation();
  const [isUnknown, setIsUnknown] = useState(false);
  const search = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const target = searchTarget(String(new FormData(submitted.currentTarget).get('q') ?? ''));
    setIsUnknown(target === null);
    if (target === null) return;
    submitted.currentTarget.reset();
    open(target);
  };
  return (
    <form role="search" onSubmit={search} className={styles['search']}>
      <input
        id={SEARCH_ID}
        name="q"
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder="Symbol or event id"
        aria-label="Symbol or event id"
        aria-invalid={isUnknown}
        aria-describedby={isUnknown ? 'search-unknown' : undefined}
        onChange={() => setIsUnknown(false)}
      />
      {isUnknown ? (
        <span id="search-unknown" role="alert">
          Neither a symbol nor an event id
        </span>
      ) : (
        <kbd aria-hidden="true">/</kbd>
      )}
    </form>
  );
}
