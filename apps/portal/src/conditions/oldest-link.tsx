import { Link, useLocation, useSearchParams } from 'wouter';
import { type Page, PAGES } from '../pages';
import { spanFromOldest } from '../service/url-span';
import { clock } from '../time/clock';

/** Leads to the oldest that can still be read: the page's own span is moved there; a page without one leads to the replay from then on. */
export function OldestLink({ oldestMs }: { readonly oldestMs: number }) {
  const [path] = useLocation();
  const [params] = useSearchParams();
  const when = clock(oldestMs);
  const isOfPage = Object.values<Page>(PAGES).some(({ pattern, hasSpan }) => hasSpan === true && pattern === path);
  const moved = spanFromOldest(isOfPage ? params : new URLSearchParams(), oldestMs);
  return isOfPage ? (
    <Link href={`${path}?${moved}`}>Show what is kept, from {when} on</Link>
  ) : (
    <Link href={`${PAGES.replay.pattern}?${moved}`}>Replay what is kept, from {when} on</Link>
  );
}
