import type { NumberEdits, NumberFault } from '@market-state/labeler/policy-numbers';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type LabWorker, openLabWorker } from '../../recompute/lab/lab-worker';
import type { LabWindow, OpenedLab, RelabelledLab } from '../../recompute/lab/messages';
import { type LabSource, loadLab } from './lab-source';

/** How far the lab is. */
export type LabState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'loading' }
  | { readonly phase: 'open'; readonly lab: OpenedLab; readonly policyFiles: object; readonly charged: number | null }
  | { readonly phase: 'refused'; readonly lines: readonly string[] }
  | { readonly phase: 'failed'; readonly error: unknown };

/** The span under the edits: the newest that are a policy, and what is wrong with those that are none. */
export interface LabResult {
  readonly labelled: RelabelledLab | null;
  readonly faults: readonly NumberFault[];
  /** Whether the newest edits have been answered. */
  readonly isCurrent: boolean;
}

const NOTHING: LabResult = { labelled: null, faults: [], isCurrent: false };

/** Opens a source in a worker when told to, and labels it under the edits, the newest each time the last have been answered. */
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
      for (let asked: NumberEdits | null = null; asked !== newest.current && own === worker.current; ) {
        asked = newest.current;
        const answer = await own.ask({ type: 'relabel', edits: asked });
        const isCurrent = asked === newest.current;
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

  /** The packets of one window, as they were published and as they were labelled last. */
  const readWindow = useCallback(async (windowEndMs: number): Promise<LabWindow | null> => {
    const answer = await worker.current?.ask({ type: 'window', windowEndMs });
    return answer?.type === 'window' ? answer : null;
  }, []);

  return { state, result, open, readWindow };
}
