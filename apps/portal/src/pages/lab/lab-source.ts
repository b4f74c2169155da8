import type { Data } from '@market-state/client';
import { parseUtcInstant } from '@market-state/market-data';
import { loadEventBundle } from '../../recompute/event-bundle';
import { sampleRequest } from '../../recompute/sample';
import { read, service } from '../../service/client';
import { urlTime } from '../../service/url-span';
import { clock } from '../../time/clock';

/** A span that a bundle reaches back over, milliseconds: checkpoints lie so far apart. */
const QUARTER_MS = 900_000;

/** What is labelled: the sample that comes with the portal, the quarter of an hour up to a packet, or the one around an instant. */
export type LabSource =
  | { readonly kind: 'sample' }
  | { readonly kind: 'event'; readonly eventId: string }
  | { readonly kind: 'quarter'; readonly symbol: string; readonly atMs: number };

/** What an address names. */
export function sourceOf(params: URLSearchParams): LabSource {
  const [eventId, symbol, atMs] = [params.get('event'), params.get('symbol'), parseUtcInstant(params.get('at') ?? '')];
  if (eventId !== null) return { kind: 'event', eventId };
  return symbol === null || atMs === undefined ? { kind: 'sample' } : { kind: 'quarter', symbol, atMs };
}

/** The same address, edits and all, with another source and no window of the old one. */
export function withSource(params: URLSearchParams, source: LabSource): URLSearchParams {
  const changed = new URLSearchParams(params);
  for (const name of ['event', 'symbol', 'at', 'window']) changed.delete(name);
  if (source.kind === 'event') changed.set('event', source.eventId);
  if (source.kind === 'quarter') {
    changed.set('symbol', source.symbol);
    changed.set('at', urlTime(source.atMs));
  }
  return changed;
}

/** The quarter of an hour of windows that an instant lies in: T above `fromMs`, up to `toMs`. */
export function quarterOf(atMs: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = Math.ceil(atMs / QUARTER_MS) * QUARTER_MS;
  return { fromMs: toMs - QUARTER_MS, toMs };
}

/** What the lab's worker opens, and what loading it cost. */
export interface LoadedLab {
  readonly bundle: ArrayBuffer;
  readonly policyFiles: object;
  /** Credits; null where nothing is charged. */
  readonly charged: number | null;
}

/** No packet ends in the quarter of an hour that was asked for. */
export class NoPacketThere extends Error {
  override readonly name = 'NoPacketThere';
}

/**
 * Loads what a source names.
 * @throws NoPacketThere when there is none in the quarter of an hour
 */
export async function loadLab(source: LabSource, signal: AbortSignal): Promise<LoadedLab> {
  if (source.kind === 'sample') {
    const { bundle, policyFiles } = await sampleRequest(signal);
    return { bundle, policyFiles, charged: null };
  }
  const found = source.kind === 'event' ? { eventId: source.eventId, charged: 0 } : await newestOf(source, signal);
  const [policy, { bundle, call }] = await Promise.all([
    read(service.demo.labelingPolicy({}, { signal })),
    loadEventBundle(found.eventId, signal),
  ]);
  return { bundle, policyFiles: policy.files, charged: found.charged + (call.charged ?? 0) };
}

const searchOf = ({ symbol, atMs }: Extract<LabSource, { kind: 'quarter' }>) => {
  const { fromMs, toMs } = quarterOf(atMs);
  return { symbol, from: new Date(fromMs + 1).toISOString(), to: new Date(toMs + 1).toISOString(), limit: 1 };
};

/** Most credits that finding the packet of a source costs. */
export function findingCreditsMax(source: LabSource): number {
  return source.kind === 'quarter' ? (service.creditsAtMost('searchEvents', searchOf(source)) ?? 0) : 0;
}

/** The newest packet of a quarter of an hour. */
async function newestOf(source: Extract<LabSource, { kind: 'quarter' }>, signal: AbortSignal) {
  const maxCredits = findingCreditsMax(source);
  const answer = service.events.search(searchOf(source), { signal, maxCredits });
  const data: Data<'searchEvents'> = await read(answer);
  const eventId = data.rows[0]?.event_id;
  const { fromMs, toMs } = quarterOf(source.atMs);
  if (eventId === undefined)
    throw new NoPacketThere(`${source.symbol} has no packet from ${clock(fromMs, 'minute')} to ${clock(toMs, 'minute')}.`);
  return { eventId, charged: (await answer).call.charged ?? 0 };
}
