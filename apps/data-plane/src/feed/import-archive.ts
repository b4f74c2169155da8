import type { feed } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, notFound } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { within } from '@market-state/lifecycle';
import { IMPORT, InstrumentDescriptionError, type InstrumentRow, readInstrumentDescription } from '@market-state/market-data';
import type { PostgresFeedStateStore } from '../store/feed-state';
import { ImportRefusal } from './decide-start';
import { type PlayedRecording, readArchive } from './recordings';
import { type PlayerDeps, playSymbol } from './symbol-player';
import type { SymbolStatus } from './symbol-status';

const REPORT_EVERY_MS = 1_000;
/** A lease that ended is free within 5 s; a longer wait means that another feed renews it. */
const LEASED_ELSEWHERE_MS = 10_000;

interface ImportDeps extends Omit<PlayerDeps, 'facts' | 'source' | 'status' | 'store'> {
  /** Symbols that take imports. */
  readonly statuses: ReadonlyMap<string, SymbolStatus>;
  readonly rows: readonly InstrumentRow[];
  readonly store: PostgresFeedStateStore;
}

type Progress = feed.ImportArchiveResponse;

const NOTHING_YET: Progress = { firstMs: 0, lastMs: 0, reachedMs: 0, lastOrdinal: 0, rejectedTotal: {}, complete: false };

export interface Imports {
  importArchive(request: feed.ImportArchiveRequest, context: Pick<CallContext, 'signal'>): AsyncGenerator<Progress>;
  /** Resolves once every import has stopped. */
  ended(): Promise<unknown>;
}

/**
 * One import of a symbol at a time; it ends when its caller does.
 * @param stopping aborts when the process stops
 */
export function createImports(deps: ImportDeps, stopping: AbortSignal): Imports {
  const running = new Map<string, Promise<void>>();

  async function* importArchive(request: feed.ImportArchiveRequest, { signal }: Pick<CallContext, 'signal'>): AsyncGenerator<Progress> {
    const { symbol } = request;
    const status = deps.statuses.get(symbol);
    if (status === undefined) throw notFound('unknown_symbol', noImports(symbol, [...deps.statuses.keys()]));
    if (running.has(symbol)) throw failedPrecondition('import_refused', `Another import of ${symbol} is running.`);
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(symbol, promise);
    try {
      let archive: PlayedRecording | undefined;
      const opening = openArchive(deps, request).then((opened) => (archive = opened));
      // The caller may leave before the files are read.
      opening.catch(() => undefined);
      while (archive === undefined) {
        yield NOTHING_YET;
        await within(REPORT_EVERY_MS, opening);
      }
      await reportInstrument(deps, archive);
      yield* play(deps, archive, status, AbortSignal.any([signal, stopping]));
    } finally {
      await deps.leases.release(symbol);
      status.idle();
      running.delete(symbol);
      resolve();
    }
  }

  return { importArchive, ended: () => Promise.all(running.values()) };
}

function noImports(symbol: string, taking: readonly string[]): string {
  const others = taking.length === 0 ? 'no symbol of this system does' : `the symbols that do are ${taking.join(', ')}`;
  return `${symbol} takes no imports here: ${others}.`;
}

async function openArchive({ rows }: ImportDeps, request: feed.ImportArchiveRequest): Promise<PlayedRecording> {
  const { symbol, files, instrument: description } = request;
  const columns = Object.entries(request.columns);
  try {
    const instrument = description === '' ? undefined : readInstrumentDescription(description);
    return await readArchive({ symbol, files, rows, instrument, columns: columns.length === 0 ? undefined : columns });
  } catch (error) {
    const field = error instanceof InstrumentDescriptionError ? 'instrument' : 'files';
    throw invalidArgument([{ field, message: error instanceof Error ? error.message : String(error), type: 'unreadable' }]);
  }
}

async function reportInstrument({ store }: ImportDeps, { facts: { instrument } }: PlayedRecording): Promise<void> {
  const { symbol, venue, venueInstrument, contractValue } = instrument;
  const sourceKind = venue === 'simulated' ? 'simulated' : 'recorded';
  await store.reportInstruments([{ symbol, feed: IMPORT, venue, venueInstrument, contractValue, sourceKind }]);
}

async function* play(deps: ImportDeps, archive: PlayedRecording, status: SymbolStatus, signal: AbortSignal): AsyncGenerator<Progress> {
  const { instrument, span } = archive.facts;
  const before = status.snapshot().rejectedTotal;
  const progress = (complete: boolean): Progress => {
    const { view, lastOrdinal, rejectedTotal } = status.snapshot();
    const rejected = Object.entries(rejectedTotal).map(([reason, total]) => [reason, total - (before[reason] ?? 0)] as const);
    return {
      firstMs: span.firstReceivedMs,
      lastMs: span.lastReceivedMs,
      reachedMs: view.feedClockMs,
      lastOrdinal,
      rejectedTotal: Object.fromEntries(rejected.filter(([, total]) => total > 0)),
      complete,
    };
  };
  const stop = new AbortController();
  const settings = { ...deps.settings, speed: 'max', startMs: 'recorded' } as const;
  let outcome: { readonly error?: unknown } | undefined;
  const playing = playSymbol({ ...deps, ...archive, status, settings }, AbortSignal.any([signal, stop.signal])).then(
    () => (outcome = {}),
    (error: unknown) => (outcome = { error }),
  );
  let standbyMs = 0;
  try {
    while (outcome === undefined) {
      yield progress(false);
      await within(REPORT_EVERY_MS, playing);
      standbyMs = status.snapshot().phase === 'standby' ? standbyMs + REPORT_EVERY_MS : 0;
      if (standbyMs >= LEASED_ELSEWHERE_MS)
        throw failedPrecondition('import_refused', `Another feed process imports ${instrument.symbol}.`);
    }
    signal.throwIfAborted();
    const { error } = outcome as { readonly error?: unknown };
    if (error !== undefined) throw error instanceof ImportRefusal ? failedPrecondition('import_refused', error.message) : error;
    yield progress(true);
  } finally {
    stop.abort();
    await playing;
  }
}
