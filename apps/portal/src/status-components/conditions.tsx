import { useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { loginAddress, type Page, PAGES } from '../pages';
import { isLoggedOut } from '../service/session';
import { useNowMs } from '../service/clock';
import styles from './conditions.module.css';
import { problemWords } from './error-messages';
import { isSaidAtFields } from '../account/field-errors';
import { spanFromOldest } from '../service/url-state';
import { clock } from '../time/clock';
import type { UseQueryResult } from '@tanstack/react-query';

/** Moves the page's own span to the oldest available data; pages without a span link to the replay. */
function OldestLink({ oldestMs }: { readonly oldestMs: number }) {
  const [path] = useLocation();
  const [params] = useSearchParams();
  const when = clock(oldestMs);
  const isOfPage = Object.values<Page>(PAGES).some(({ pattern, hasSpan }) => hasSpan === true && pattern === path);
  const moved = spanFromOldest(isOfPage ? params : new URLSearchParams(), oldestMs);
  return isOfPage ? (
    <Link href={`${path}?${moved}`}>Show available data from {when} on</Link>
  ) : (
    <Link href={`${PAGES.replay.pattern}?${moved}`}>Replay available data from {when} on</Link>
  );
}

interface ProblemNoticeProps {
  /** Null shows nothing. */
  readonly error: unknown;
  /** Fields that show their own faults: an error of these alone is shown there. */
  readonly fields?: readonly string[];
  readonly retry?: () => void;
  /** The call used a key, so logging in would not help. */
  readonly hasKey?: boolean;
}

export function ProblemNotice({ error, fields = [], retry, hasKey = false }: ProblemNoticeProps) {
  if (error === null || isSaidAtFields(error, fields)) return null;
  const { title, detail, advice, canRetry, waitMs, requestId, oldestMs } = problemWords(error);
  if (isLoggedOut(error) && !hasKey)
    return (
      <div className={styles['problem']} role="alert">
        <h2>You are not logged in</h2>
        <p>
          <a href={loginAddress(location.pathname + location.search)}>Log in</a> to return to this page.
        </p>
      </div>
    );
  return (
    <div className={styles['problem']} role="alert">
      <h2>{title}</h2>
      <p>{[detail, advice].filter((sentence) => sentence !== '').join(' ')}</p>
      <p className={styles['actions']}>
        {oldestMs === null ? null : <OldestLink oldestMs={oldestMs} />}
        {canRetry && retry !== undefined ? <Retry retry={retry} waitMs={waitMs ?? 0} /> : null}
        {requestId === null ? null : <RequestId id={requestId} />}
      </p>
    </div>
  );
}

function Retry({ retry, waitMs }: { readonly retry: () => void; readonly waitMs: number }) {
  const nowMs = useNowMs();
  const [readyMs, setReadyMs] = useState(0);
  useEffect(() => setReadyMs(waitMs === 0 ? 0 : Date.now() + waitMs), [waitMs]);
  const leftS = Math.ceil((readyMs - nowMs) / 1_000);
  return (
    <button type="button" onClick={retry} disabled={leftS > 0}>
      {leftS > 0 ? `Try again in ${leftS} s` : 'Try again'}
    </button>
  );
}

function RequestId({ id }: { readonly id: string }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <button
      type="button"
      className={styles['quiet']}
      onClick={() => void navigator.clipboard.writeText(id).then(() => setIsCopied(true))}
      title="Copy request id"
    >
      {isCopied ? 'copied' : 'request'} <code>{id}</code>
    </button>
  );
}

/** Reserves the space immediately but draws outlines only after 150 ms, so that a fast response does not flicker. */
export function Outline({ rows, label = 'Loading' }: { readonly rows: number; readonly label?: string }) {
  return (
    <div className={styles['outline']} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_each, row) => (
        <span key={row} />
      ))}
    </div>
  );
}

export function Empty({ why, children }: { readonly why: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <p>{why}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}

export type LightState = 'live' | 'fresh' | 'waiting' | 'stale' | 'off';

export function Light({ state, word }: { readonly state: LightState; readonly word: string }) {
  return (
    <span className={styles['light']}>
      <i className={styles[`light-${state}`]} aria-hidden="true" />
      {word}
    </span>
  );
}

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  /** Lines of the outline while it is loading. */
  readonly rows: number;
  readonly label: string;
  readonly children: (answer: T) => ReactNode;
}

/** The answer of a query, its outline or its error. An answer stays shown when it can't be read again. */
export function Loaded<T>({ query: { data, error, refetch }, rows, label, children }: LoadedProps<T>) {
  return (
    <>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {data !== undefined ? children(data) : error === null ? <Outline rows={rows} label={label} /> : null}
    </>
  );
}

interface AnswerSectionProps<T> {
  readonly title: string;
  /** Class of a box around the section; without it there is none. */
  readonly box?: string | undefined;
  readonly query: UseQueryResult<T>;
  readonly checkedUtc?: (answer: T) => string;
  readonly show: (answer: T) => ReactNode;
}

export function AnswerSection<T>({ title, box, query: { data, error, refetch }, checkedUtc, show }: AnswerSectionProps<T>) {
  const section = (
    <section className={styles['answer']} aria-label={title}>
      <div className={styles['title']}>
        <h2>{title}</h2>
        {data === undefined || checkedUtc === undefined ? null : <span>as of {clock(checkedUtc(data))}</span>}
      </div>
      {error !== null && data === undefined ? (
        <ProblemNotice error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Outline rows={6} label={`Loading: ${title}`} />
      ) : (
        show(data)
      )}
    </section>
  );
  return box === undefined ? section : <section className={box}>{section}</section>;
}
