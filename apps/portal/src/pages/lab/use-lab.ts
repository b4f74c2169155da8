import type { Data } from '@market-state/client';
import type { NumberEdits, NumberFault } from '@market-state/labeler/policy-numbers';
import { parseUtcInstant } from '@market-state/market-data';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type LabWorker, openLabWorker } from '../../recompute/lab/lab-worker';
import type { LabWindow, OpenedLab, RelabelledLab } from '../../recompute/lab/messages';
import { loadEventBundle } from '../../recompute/event-bundle';
import { sampleRequest } from '../../recompute/sample';
import { read, service } from '../../service/client';
import { urlTime } from '../../service/url-state';
import { clock } from '../../time/clock';
import { marketWords } from '../../packets/market-name';

/** Checkpoint interval, and so the span of a bundle. */
const QUARTER_MS = 900_000;

export type LabSource =
  | { readonly kind: 'sample' }
  | { readonly kind: 'event'; readonly eventId: string }
  | { readonly kind: 'quarter'; readonly symbol: string; readonly atMs: number };

export function sourceOf(params: URLSearchParams): LabSource {
  const [eventId, symbol, atMs] = [params.get('event'), params.get('symbol'), parseUtcInstant(params.get('at') ?? '')];
  if (eventId !== null) return { kind: 'event', eventId };
  return symbol === null || atMs === undefined ? { kind: 'sample' } : { kind: 'quarter', symbol, atMs };
}

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

/** Windows T with `fromMs` < T ≤ `toMs`. */
export function quarterOf(atMs: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = Math.ceil(atMs / QUARTER_MS) * QUARTER_MS;
  return { fromMs: toMs - QUARTER_MS, toMs };
}

interface LoadedLab {
  readonly bundle: ArrayBuffer;
  readonly policyFiles: object;
  /** Null if nothing was charged. */
  readonly charged: number | null;
}

export class NoPacketThere extends Error {
  override readonly name = 'NoPacketThere';
}

/** @throws NoPacketThere if the 15 minutes contain no packet */
async function loadLab(source: LabSource, signal: AbortSignal): Promise<LoadedLab> {
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

export function findingCreditsMax(source: LabSource): number {
  return source.kind === 'quarter' ? (service.creditsAtMost('searchEvents', searchOf(source)) ?? 0) : 0;
}

async function newestOf(source: Extract<LabSource, { kind: 'quarter' }>, signal: AbortSignal) {
  const maxCredits = findingCreditsMax(source);
  const answer = service.events.search(searchOf(source), { signal, maxCredits });
  const data: Data<'searchEvents'> = await read(answer);
  const eventId = data.rows[0]?.event_id;
  const { fromMs, toMs } = quarterOf(source.atMs);
  if (eventId === undefined)
    throw new NoPacketThere(`${marketWords(source.symbol)} has no packet from ${clock(fromMs, 'minute')} to ${clock(toMs, 'minute')}.`);
  return { eventId, charged: (await answer).call.charged ?? 0 };
}

export type LabState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'loading' }
  | { readonly phase: 'open'; readonly lab: OpenedLab; readonly policyFiles: object; readonly charged: number | null }
  | { readonly phase: 'refused'; readonly lines: readonly string[] }
  | { readonly phase: 'failed'; readonly error: unknown };

/** Result for the newest valid edits, and the faults of invalid ones. */
export interface LabResult {
  readonly labelled: RelabelledLab | null;
  readonly faults: readonly NumberFault[];
  /** True if it covers the newest edits. */
  readonly isCurrent: boolean;
}

const NOTHING: LabResult = { labelled: null, faults: [], isCurrent: false };

/** Opens a source in a worker on request. While the worker is busy, only the newest edits stay queued. */
export function useLab(source: LabSource, edits: NumberEdits) {
  const [state, setState] = useState<LabState>({ phase: 'idle' });
  const [result, setResult] = useState(NOTHING);
  const worker = useRef<LabWorker | null>(null);
  const leaving = useRef<AbortController | null>(null);
  const newest = useRef(edits);
  const isBusy = useRef(false);

  const stop = useCallback(() => {
    leaving.current?.abort();
    worker.current?.close();
    worker.current = null;
  }, []);

  const open = useCallback(async (): Promise<void> => {
    stop();
    const { signal } = (leaving.current = new AbortController());
    const show = (next: LabState): void => {
      if (!signal.aborted) setState(next);
    };
    show({ phase: 'loading' });
    setResult(NOTHING);
    try {
      const { bundle, policyFiles, charged } = await loadLab(source, signal);
      const own = (worker.current = openLabWorker());
      signal.addEventListener('abort', () => own.close(), { once: true });
      const answer = await own.ask({ type: 'open', bundle, policyFiles });
      if (answer.type === 'refused') show({ phase: 'refused', lines: answer.lines });
      if (answer.type === 'opened') show({ phase: 'open', lab: answer, policyFiles, charged });
    } catch (error) {
      show({ phase: 'failed', error });
    }
  }, [source, stop]);

  const relabel = useCallback(async (): Promise<void> => {
    const own = worker.current;
    if (own === null || isBusy.current) return;
    isBusy.current = true;
    try {
      for (let edits: NumberEdits | null = null; edits !== newest.current && own === worker.current; ) {
        edits = newest.current;
        const answer = await own.ask({ type: 'relabel', edits });
        const isCurrent = edits === newest.current;
        if (own !== worker.current) break;
        if (answer.type === 'relabelled') setResult({ labelled: answer, faults: [], isCurrent });
        if (answer.type === 'faults') setResult(({ labelled }) => ({ labelled, faults: answer.faults, isCurrent }));
      }
    } catch (error) {
      if (own === worker.current) setState({ phase: 'failed', error });
    } finally {
      isBusy.current = false;
    }
  }, []);

  useEffect(() => {
    newest.current = edits;
    setResult((before) => ({ ...before, isCurrent: false }));
    if (state.phase === 'open') void relabel();
  }, [edits, state.phase, relabel]);
  useEffect(() => stop, [stop]);

  const readWindow = useCallback(async (windowEndMs: number): Promise<LabWindow | null> => {
    const answer = await worker.current?.ask({ type: 'window', windowEndMs });
    return answer?.type === 'window' ? answer : null;
  }, []);

  return { state, result, open, readWindow };
}
