import type { Fetch } from '../service/call-queue';

/** Answers recorded from a running service with its bundled recording, one file per page. */
export interface SampleAnswers {
  readonly recorded_utc: string;
  /** Moving its times would break the digests that the page verifies. */
  readonly exact?: boolean;
  readonly answers: readonly SampleAnswer[];
}

interface SampleAnswer {
  readonly path: string;
  readonly symbol?: string;
  readonly view?: string;
  readonly body: unknown;
}

const INSTANT = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g;
/** Whole windows, so that the recorded windows stay windows. */
const WINDOW_MS = 10_000;

/** The same answers as if they were recorded at `nowMs`, unless they are exact. */
export function moveTo(nowMs: number, sample: SampleAnswers): SampleAnswers {
  if (sample.exact === true) return sample;
  const movedMs = Math.floor((nowMs - Date.parse(sample.recorded_utc)) / WINDOW_MS) * WINDOW_MS;
  const text = JSON.stringify(sample).replace(INSTANT, (_found, instant: string) =>
    JSON.stringify(new Date(Date.parse(instant) + movedMs).toISOString()),
  );
  return JSON.parse(text) as SampleAnswers;
}

/** Ids of another object match: `/a/evt_1/verify` is answered like `/a/evt_2/verify`. */
const shapeOf = (path: string): string => path.replace(/\/[a-z]+_[0-9a-z]{26}(?=\/|$)/g, '/:id');

/** A `fetch` that answers from a sample and never reaches a network. Streams stay open and silent. */
export function sampleFetch({ answers }: SampleAnswers): Fetch {
  return (target, init) => {
    if (new Headers(init?.headers).get('accept') === 'text/event-stream')
      return Promise.resolve(new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }));
    const { pathname, searchParams } = new URL(target instanceof Request ? target.url : target);
    const fits = (name: 'symbol' | 'view') => (answer: SampleAnswer) => answer[name] === (searchParams.get(name) ?? undefined);
    const found = answers.filter(({ path }) => shapeOf(path) === shapeOf(pathname));
    const same = found.filter(fits('symbol'));
    const best = (same.length === 0 ? found : same).find(fits('view')) ?? same[0] ?? found[0];
    if (best === undefined) return Promise.resolve(Response.json({ code: 'not_found', title: 'Not in the sample' }, { status: 404 }));
    return Promise.resolve(Response.json(best.body));
  };
}
