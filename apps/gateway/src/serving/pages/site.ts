import type { Representation } from '../http/representation';

/** Pages and files that are served beside the routes, from a folder that was read at the start. */
export interface Site {
  /**
   * What is at a path; undefined for one that is not of this site.
   * @param prefersText whether who asks would rather have a page as Markdown than as HTML
   */
  find(path: string, prefersText: boolean): Representation | undefined;
}

/** A page is asked for again each time it is opened, since it names the files of its build. */
export const PAGE_CACHE = 'no-cache';
/** A name holds the hash of its bytes, so that it means them for good. */
export const FILE_CACHE = 'public, max-age=31536000, immutable';
