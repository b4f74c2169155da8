import { setTimeout as delay } from 'node:timers/promises';
import { timeLimit } from '@market-state/lifecycle';

const BASE = '/api/public';
const SAMPLE_EVERY_MS = 2_000;
const ANSWER_MS_MAX = 30_000;

/** Symbols whose recording has no gaps of its own; the simulated market plays some. */
const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'];

/** How ingest fared. */
export interface IngestReport {
  /** Greatest age of the newest packet's window end, milliseconds; a window is 10 s long. */
  readonly packetAgeMsMax: number;
  /** Greatest age of the feed clock that the rows are told by, and of the newest row of book and trades against it, milliseconds. */
  readonly feedAgeMsMax: number;
  readonly rowAgeMsMax: number;
  /** Answers that did not call themselves fresh, and samples. */
  readonly notFresh: number;
  readonly samples: number;
  /** Gaps that came meanwhile, by symbol and reason; seams of a recording are none. */
  readonly gaps: readonly string[];
}

interface Latest {
  readonly packet_freshness: { readonly freshness_state: string; readonly window_end_utc: string };
}

interface Freshness {
  readonly as_of_utc: string;
  readonly source_status: string;
  readonly channels: readonly { readonly channel: string; readonly freshness_ms: number | null }[];
}

interface Gaps {
  readonly rows: readonly { readonly gap_id: string; readonly kind: string; readonly reason: string; readonly symbol: string }[];
}

/** Looks at packets, freshness and gaps of the recorded symbols as a caller sees them, until `work` has ended. */
export async function watchIngest(url: string, key: string, work: Promise<unknown>): Promise<IngestReport> {
  const before = new Set((await gapsOf(url, key)).map(({ gap_id: id }) => id));
  let [packetAgeMsMax, feedAgeMsMax, rowAgeMsMax, notFresh, samples] = [0, 0, 0, 0, 0];
  let hasEnded = false;
  const ended = work.finally(() => (hasEnded = true));
  ended.catch(() => undefined);
  while (!hasEnded) {
    for (const symbol of SYMBOLS) {
      const latest = await read<Latest>(url, key, `market-state/latest?symbol=${symbol}`);
      packetAgeMsMax = Math.max(packetAgeMsMax, ageOf(latest.packet_freshness.window_end_utc));
      const rows = await read<Freshness>(url, key, `data/status/freshness?symbol=${symbol}`);
      feedAgeMsMax = Math.max(feedAgeMsMax, ageOf(rows.as_of_utc));
      const ages = rows.channels.filter(({ channel }) => channel === 'book' || channel === 'trades');
      rowAgeMsMax = Math.max(rowAgeMsMax, ...ages.map(({ freshness_ms: ms }) => ms ?? Infinity));
      if (latest.packet_freshness.freshness_state !== 'fresh' || rows.source_status !== 'fresh') notFresh += 1;
      samples += 1;
    }
    await Promise.race([delay(SAMPLE_EVERY_MS), ended]);
  }
  await ended;
  const after = await gapsOf(url, key);
  const gaps = after.filter(({ gap_id: id, kind }) => kind === 'gap' && !before.has(id)).map(({ symbol, reason }) => `${symbol} ${reason}`);
  return { packetAgeMsMax, feedAgeMsMax, rowAgeMsMax, notFresh, samples, gaps };
}

async function gapsOf(url: string, key: string): Promise<Gaps['rows']> {
  const fromMs = Date.now() - 600_000;
  const of = await Promise.all(SYMBOLS.map((symbol) => read<Gaps>(url, key, `data/gaps?symbol=${symbol}&from=${fromMs}`)));
  return of.flatMap(({ rows }) => rows);
}

function ageOf(utc: string): number {
  return Date.now() - Date.parse(utc);
}

async function read<Answer>(url: string, key: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${BASE}/${path}`, {
    headers: { 'x-market-state-api-key': key },
    signal: timeLimit(ANSWER_MS_MAX),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return (await response.json()) as Answer;
}
