import type { Logger } from '@market-state/logging';
import type { ListingChange, MissingInstruments } from './venue-source';

/** Must stay well under 15 minutes: facts not confirmed for that long count as unknown. */
const METADATA_EVERY_MS = 300_000;
const MISSING_EVERY_MS = 30_000;

export interface ListingDeps {
  /** The returned function gives the reason why an instrument cannot be subscribed, if any. */
  readMetadata(): Promise<(instrument: string) => string | undefined>;
  subscribe(instruments: readonly string[]): Promise<MissingInstruments>;
  announce(change: ListingChange): void;
  readonly logger: Logger;
  readonly wait: (durationMs: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Missing instruments are subscribed once the metadata lists them; delisted ones do not affect the others. */
export class ListedInstruments {
  private wanted: readonly string[] = [];
  private readonly missing = new Map<string, string>();
  private readonly refused = new Set<string>();
  private reading: Promise<void> | undefined;
  private isRetrying = false;

  constructor(private readonly deps: ListingDeps) {}

  /** Polls the metadata from then on. @throws VenueError if it cannot be read */
  async subscribe(instruments: readonly string[]): Promise<MissingInstruments> {
    this.wanted = instruments;
    const reasonOf = await this.deps.readMetadata();
    for (const name of instruments) {
      const reason = reasonOf(name);
      if (reason !== undefined) this.missing.set(name, reason);
    }
    const listed = instruments.filter((name) => !this.missing.has(name));
    const refused = listed.length === 0 ? [] : await this.deps.subscribe(listed);
    for (const [name, reason] of refused) {
      this.missing.set(name, reason);
      this.refused.add(name);
    }
    void this.follow();
    void this.retryMissing();
    return new Map(this.missing);
  }

  isMissing(instrument: string): boolean {
    return this.missing.has(instrument);
  }

  /** Never rejects. */
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async follow(): Promise<void> {
    const { wait, signal } = this.deps;
    while (!signal.aborted) {
      await wait(METADATA_EVERY_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.refresh();
    }
  }

  private async retryMissing(): Promise<void> {
    const { wait, signal } = this.deps;
    if (this.isRetrying) return;
    this.isRetrying = true;
    while (this.missing.size > 0 && !signal.aborted) {
      await wait(MISSING_EVERY_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.refresh();
    }
    this.isRetrying = false;
  }

  private async read(): Promise<void> {
    const { readMetadata, subscribe, logger, signal } = this.deps;
    try {
      const reasonOf = await readMetadata();
      const back = this.wanted.filter((name) => this.missing.has(name) && reasonOf(name) === undefined);
      for (const name of this.wanted) if (!this.refused.has(name) || reasonOf(name) !== undefined) this.set(name, reasonOf(name));
      void this.retryMissing();
      if (back.length === 0) return;
      const refused = await subscribe(back).catch((error: unknown) => new Map(back.map((name) => [name, sentenceOf(error)])));
      for (const name of back) {
        const reason = refused.get(name);
        this.set(name, reason);
        if (reason === undefined) this.refused.delete(name);
        else this.refused.add(name);
      }
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, 'reading venue metadata failed');
    }
  }

  private set(instrument: string, missing: string | undefined): void {
    if (this.missing.get(instrument) === missing) return;
    if (missing === undefined) this.missing.delete(instrument);
    else this.missing.set(instrument, missing);
    this.deps.announce({ instrument, missing });
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
