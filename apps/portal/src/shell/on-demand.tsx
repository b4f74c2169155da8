import { Facts } from '../controls/facts';
import { Hidden, Table } from '../controls/table';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState, type KeyboardEvent } from 'react';
import { MailSent } from '../account/mailed-link';
import { Empty, ProblemNotice } from '../status-components/conditions';
import { Modal } from '../controls/dialog';
import records from '../controls/records.module.css';
import { service } from '../service/client';
import { leaveAfterLogout, SESSION_KEY, useSession } from '../service/session';
import sheet from '../theme/sheet.module.css';
import { clockBelow, zoned } from '../time/clock';
import styles from './shell.module.css';
import { PAGES, type Page, DOCS } from '../pages';
import { PageLinks } from './navigation';
import { useLocation } from 'wouter';
import { usePublicSymbols } from '../proofs/proof-queries';
import { symbolsOf, useCatalog } from '../service/use-catalog';
import { type PaletteItem, paletteItems } from './palette-items';
import palette from './palette.module.css';

// Parts of every page that load on first use, in one file.
export { SampleView } from '../sample/sample-view';

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['/'], 'go to a symbol, an event or a page'],
  ...(Object.values(PAGES) as readonly Page[]).flatMap(({ key, title }) => (key === undefined ? [] : [[['g', key], title] as const])),
  [['[', ']'], 'on a packet and in a replay: previous packet, next packet'],
  [['space'], 'in a replay: play or pause'],
  [['left', 'right'], 'in a replay: one second back, one second forward'],
  [['?'], 'this help'],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <div className={styles['help']}>
        <table>
          <tbody>
            {KEYS.map(([keys, meaning]) => (
              <tr key={meaning}>
                <th scope="row">
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </th>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          <a href={PAGES.console.pattern}>Try any operation of the API</a>
        </p>
        <p>Packets are context for monitoring and review, not signals, advice or orders.</p>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </div>
    </Modal>
  );
}

type Session = NonNullable<ReturnType<typeof useSession>['data']>;

/** Contents of the account's menu. */
export function AccountMenu({ openAccount }: { readonly openAccount: () => void }) {
  const { mutate, isPending } = useLogout();
  return (
    <>
      <PageLinks group="Account" />
      <li>
        <button type="button" onClick={openAccount}>
          Sessions and password
        </button>
      </li>
      <li>
        <button type="button" disabled={isPending} onClick={() => mutate(false)}>
          Log out
        </button>
      </li>
    </>
  );
}

function useLogout() {
  return useMutation({
    mutationFn: (everywhere: boolean) => service.account.logOut({ everywhere }),
    onSuccess: leaveAfterLogout,
  });
}

export function AccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { data } = useSession();
  const logOut = useLogout();
  if (data === undefined) return null;
  return (
    <Modal title="Sessions and password" onClose={onClose}>
      <div className={styles['account']}>
        <Facts
          className={sheet['facts']}
          facts={[
            ['Email', `${data.account?.email ?? 'none'}${data.account?.email_verified === false ? ' (not verified)' : ''}`],
            ['Organisation', data.tenant.name],
            ['Plan', data.plan?.tier ?? data.plan?.plan_id ?? 'none'],
          ]}
        />
        <p className={sheet['actions']}>
          <button type="button" className={sheet['go']} disabled={logOut.isPending} onClick={() => logOut.mutate(false)}>
            Log out
          </button>
          <button type="button" disabled={logOut.isPending} onClick={() => logOut.mutate(true)}>
            Log out everywhere
          </button>
          <span className={sheet['soft']}>API keys stay valid.</span>
        </p>
        <ProblemNotice error={logOut.error} />
        <Sessions sessions={data.sessions} />
        {data.account === null ? null : <ChangePassword email={data.account.email} />}
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </div>
    </Modal>
  );
}

function Sessions({ sessions }: Pick<Session, 'sessions'>) {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: (sessionId: string) => service.account.endSession({ session_id: sessionId }),
    onSettled: () => queries.invalidateQueries({ queryKey: SESSION_KEY }),
  });
  return (
    <section aria-label="Sessions">
      <h3>Sessions: {sessions.length}</h3>
      <Table
        className={records['flush']}
        hasRowHeads={false}
        rows={sessions}
        keyOf={({ session_id: id }) => id}
        rowProps={({ current }) => ({ 'aria-current': current ? 'true' : undefined })}
        columns={[
          { head: zoned('Logged in'), cell: ({ created_utc: created }) => clockBelow(Date.parse(created), 'minute') },
          {
            head: 'Last used',
            cell: ({ last_used_utc: used, current }) => (current ? 'this browser' : clockBelow(Date.parse(used), 'minute')),
          },
          { head: 'Expires', cell: ({ expires_utc: expires }) => clockBelow(Date.parse(expires), 'minute') },
          {
            head: <Hidden>Actions</Hidden>,
            cell: ({ session_id: id, current }) =>
              current ? null : (
                <button type="button" disabled={end.isPending} onClick={() => end.mutate(id)}>
                  Log out
                </button>
              ),
            className: records['acts'],
          },
        ]}
      />
      <ProblemNotice error={end.error} />
      <p className={sheet['soft']}>Sessions expire after two hours of inactivity.</p>
    </section>
  );
}

function ChangePassword({ email }: { readonly email: string }) {
  const { mutate, isPending, data, error } = useMutation({ mutationFn: () => service.account.requestPasswordReset({ email }) });
  return (
    <section aria-label="Password">
      <h3>Password</h3>
      {data !== undefined ? (
        <p role="status">
          <MailSent to={data.data.mail_delivery} email={email} onlyToAccounts /> The link works once, for 30 minutes.
        </p>
      ) : (
        <p className={sheet['actions']}>
          <button type="button" disabled={isPending} onClick={() => mutate()}>
            Change password
          </button>
          <span className={sheet['soft']}>Sends a link to {email}. A new password ends all sessions.</span>
        </p>
      )}
      <ProblemNotice error={error} />
    </section>
  );
}

interface RoleNoticeProps {
  readonly title: string;
  readonly gap: string;
  /** Without it, only owners may see the page. */
  readonly children?: ReactNode;
}

/** A page whose changes the session's role does not allow. */
export function RoleNotice({ title, gap, children }: RoleNoticeProps) {
  if (children !== undefined)
    return (
      <>
        <p className={sheet['note']} role="note">
          You can look at everything on this page, but not change it. {gap}
        </p>
        {children}
      </>
    );
  return (
    <>
      <div className={sheet['bar']}>
        <h1>{title}</h1>
      </div>
      <Empty why={`${title} is for owners.`}>{gap}</Empty>
    </>
  );
}

const KINDS: Readonly<Record<PaletteItem['kind'], string>> = { symbol: 'Symbol', event: 'Packet', page: 'Page', search: 'Search' };
const NONE: readonly string[] = [];

/** Opens symbols, packets and pages by a few letters. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { data: session } = useSession();
  return session === undefined ? <OpenPalette onClose={onClose} /> : <OwnPalette onClose={onClose} />;
}

function OwnPalette({ onClose }: { readonly onClose: () => void }) {
  const { data } = useCatalog();
  return <Choices symbols={data === undefined ? NONE : symbolsOf(data)} onClose={onClose} />;
}

function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const { data } = usePublicSymbols();
  return <Choices symbols={data ?? NONE} onClose={onClose} />;
}

function Choices({ symbols, onClose }: { readonly symbols: readonly string[]; readonly onClose: () => void }) {
  const [, open] = useLocation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const items = paletteItems(text, symbols);
  const chosen = Math.min(at, items.length - 1);
  const go = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    // The documentation is not part of this page's script.
    if (item.path.startsWith(DOCS)) location.assign(item.path);
    else open(item.path);
  };
  const press = (pressed: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[pressed.key];
    if (step !== undefined) setAt((chosen + step + items.length) % items.length);
    else if (pressed.key === 'Enter') go(items[chosen]);
    else return;
    pressed.preventDefault();
  };
  return (
    <Modal title="Go to" onClose={onClose}>
      <div className={palette['palette']}>
        <input
          role="combobox"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          placeholder="Symbol, event id, state or page"
          aria-label="Symbol, event id, state or page"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={items.length === 0 ? undefined : `${id}-${chosen}`}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <ul id={id} role="listbox" aria-label="Results">
          {items.map((item, index) => (
            <li
              key={item.path}
              ref={(row) => {
                if (index === chosen) row?.scrollIntoView({ block: 'nearest' });
              }}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onPointerMove={() => setAt(index)}
              onClick={() => go(item)}
            >
              <span>{item.title}</span> <small>{KINDS[item.kind]}</small>
            </li>
          ))}
        </ul>
        <p>
          <kbd>↑</kbd> <kbd>↓</kbd> to choose, <kbd>Enter</kbd> to open, <kbd>Esc</kbd> to close
        </p>
      </div>
    </Modal>
  );
}
