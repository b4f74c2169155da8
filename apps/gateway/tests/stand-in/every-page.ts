import type { RawResponse } from './http-client';

interface Page {
  readonly packets?: readonly { readonly event_id: string }[];
  readonly rows?: readonly { readonly event_id: string }[];
  readonly next_cursor?: string | null;
}

/** Reads a list of packets page by page; returns its events in order and the number of pages. */
export async function everyPage(
  read: (path: string) => Promise<RawResponse>,
  path: string,
): Promise<{ readonly ids: string[]; readonly pages: number }> {
  const ids: string[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null) {
    const response = await read(`${path}&cursor=${cursor}`);
    expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({ status: 200, text: '' });
    const body: Page = response.json<Page>();
    ids.push(...(body.packets ?? body.rows ?? []).map(({ event_id: eventId }) => eventId));
    cursor = body.next_cursor ?? null;
    pages += 1;
  }
  return { ids, pages };
}
