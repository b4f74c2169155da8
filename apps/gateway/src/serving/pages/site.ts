import type { Representation } from '../http/representation';

/** The properties of a request that choose between forms of a page. */
export interface Reader {
  /** Prefers Markdown to HTML. */
  readonly prefersText: boolean;
  /** Sent a session cookie, which may have expired. */
  readonly hasSession: boolean;
}

/** Pages and files that are served beside the routes, from a folder that was read at the start. */
export interface Site {
  /** Returns what is at a path; undefined for one that is not of this site. */
  find(path: string, reader: Reader): Representation | undefined;
}

/** A page is asked for again each time it is opened, since it names the files of its build. */
export const PAGE_CACHE = 'no-cache';
/** A name holds the hash of its bytes, so that it means them for good. */
export const FILE_CACHE = 'public, max-age=31536000, immutable';
