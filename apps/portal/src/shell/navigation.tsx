import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { DOCS, PAGES, type Page, type PageGroup } from '../pages';
import { useSession } from '../service/session';
import { chooseTheme, useTheme } from '../theme/theme';
import { chooseZone, hasLocalZone, useZone, zoneTitle, zoneWords } from '../time/zone';
import styles from './shell.module.css';

export type DialogName = 'help' | 'account' | 'palette';

const pagesOf = (group: PageGroup): readonly Page[] => (Object.values(PAGES) as readonly Page[]).filter((page) => page.group === group);

/** One row from 1,024 px; below, a button opens all groups as one panel. */
export function Navigation({ openDialog }: { readonly openDialog: (name: DialogName) => void }) {
  const { open, setOpen, header } = useOpenMenu();
  const { data: session } = useSession();
  const toggle = (name: string): void => setOpen(open === name ? null : name);
  return (
    <header ref={header} className={styles['top']}>
      <Link href={PAGES.home.pattern} className={styles['product']}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <rect width="20" height="20" rx="4" />
          <path d="M3.5 13.5h3v-4h3.5v-4h3v6h3.5" />
        </svg>
        Market State
      </Link>
      <button type="button" className={styles['menu']} aria-expanded={open === 'Menu'} aria-controls="pages" onClick={() => toggle('Menu')}>
        Menu
      </button>
      <nav id="pages" aria-label="Pages" data-open={open === 'Menu'}>
        <Group name="Market" isInline />
        <Group name="Data" isOpen={open === 'Data'} toggle={toggle} />
        <Group name="Trust" isOpen={open === 'Trust'} toggle={toggle} />
        <a href={DOCS}>Docs</a>
      </nav>
      <button
        type="button"
        className={styles['search']}
        onClick={() => openDialog('palette')}
        aria-label="Search symbols, events and pages"
      >
        <span>Search</span> <kbd>/</kbd>
      </button>
      <div className={styles['tools']}>
        <ThemeSwitch />
        {hasLocalZone() ? <ZoneSwitch /> : null}
        <button type="button" className={styles['wide']} onClick={() => openDialog('help')} aria-label="Shortcuts and help">
          ?
        </button>
        {session === undefined ? (
          <>
            <Link href={PAGES.login.pattern}>Log in</Link>
            <Link href={PAGES.claim.pattern} className="action-link">
              Sign up
            </Link>
          </>
        ) : (
          <Menu
            name="Account"
            label={`Account of ${session.tenant.name}`}
            title={session.tenant.name}
            isOpen={open === 'Account'}
            toggle={toggle}
          >
            <Suspense fallback={null}>
              <AccountMenu openAccount={() => openDialog('account')} />
            </Suspense>
          </Menu>
        )}
      </div>
    </header>
  );
}

const AccountMenu = lazy(() => import('./on-demand').then(({ AccountMenu: each }) => ({ default: each })));

/** Name of the open menu. It closes on Escape, on a press elsewhere and on another page. */
function useOpenMenu() {
  const header = useRef<HTMLElement>(null);
  const [open, setOpen] = useState<string | null>(null);
  const [location] = useLocation();
  useEffect(() => setOpen(null), [location]);
  useEffect(() => {
    if (open === null) return undefined;
    const close = (event: Event): void => {
      const isInside = event.target instanceof Node && header.current?.contains(event.target) === true;
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !isInside) setOpen(null);
    };
    for (const name of MENU_EVENTS) document.addEventListener(name, close);
    return () => {
      for (const name of MENU_EVENTS) document.removeEventListener(name, close);
    };
  }, [open]);
  return { header, open, setOpen };
}

const MENU_EVENTS = ['pointerdown', 'focusin', 'keydown'] as const;

interface MenuProps {
  readonly name: string;
  readonly label?: string;
  readonly title?: string;
  readonly isOpen: boolean;
  readonly toggle: (name: string) => void;
  readonly children: ReactNode;
}

function Menu({ name, label, title = name, isOpen, toggle, children }: MenuProps) {
  return (
    <div className={styles['group']} data-open={isOpen}>
      <button type="button" aria-expanded={isOpen} aria-label={label} onClick={() => toggle(name)}>
        <span>{title}</span>
      </button>
      {/* The panel of narrow screens lists every group at once. */}
      {isOpen || name !== 'Account' ? <ul>{children}</ul> : null}
    </div>
  );
}

interface GroupProps {
  readonly name: PageGroup;
  readonly isInline?: boolean;
  readonly isOpen?: boolean;
  readonly toggle?: (name: string) => void;
}

function Group({ name, isInline = false, isOpen = false, toggle = () => undefined }: GroupProps) {
  const links = <PageLinks group={name} />;
  return isInline ? (
    <ul className={styles['inline']} aria-label={name}>
      {links}
    </ul>
  ) : (
    <Menu name={name} isOpen={isOpen} toggle={toggle}>
      {links}
    </Menu>
  );
}

export function PageLinks({ group }: { readonly group: PageGroup }) {
  const [location] = useLocation();
  return pagesOf(group).map(({ pattern, title }) => (
    <li key={pattern}>
      <Link href={pattern} aria-current={location === pattern || location.startsWith(`${pattern}/`) ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  ));
}

function ThemeSwitch() {
  const other = useTheme() === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" className={styles['wide']} onClick={() => chooseTheme(other)} aria-label={`Use the ${other} theme`}>
      {other === 'dark' ? 'Dark' : 'Light'}
    </button>
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
