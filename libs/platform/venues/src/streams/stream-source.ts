import { delay } from '@market-state/lifecycle';
import { ListedInstruments } from '../listed-instruments';
import { listingAnswers, type MetadataRequest, restText, urlBelow } from '../rest-text';
import { connectSockets, type OpenConnection, type SourceOptions } from '../open-connection';
import { type MissingInstruments, systemClock, VenueError, type VenueSource } from '../venue-source';
import type { StreamProtocol, StreamRequest } from './protocols';

const SUBSCRIBED_WITHIN_MS = 10_000;
const WHOLE_BOOK_WITHIN_MS = 5_000;

/** Gives the reason why an instrument cannot be subscribed. */
export interface VenueMetadata {
  readonly requests: readonly MetadataRequest[];
  /** @throws Error if the answers are not the venue's metadata */
  reasonsOf(answers: Readonly<Record<string, readonly unknown[]>>): (instrument: string) => string | undefined;
}

interface StreamSourceOptions extends SourceOptions {
  readonly protocol: StreamProtocol;
  readonly metadata: VenueMetadata;
}

class StreamSubscriptions {
  private lastId = 0;
  /** Subscribed, and the whole book that this brings has not been asked for since. */
  private readonly fresh = new Set<string>();
  private readonly whole = new Set<string>();

  constructor(
    private readonly protocol: StreamProtocol,
    private readonly sockets: () => readonly OpenConnection[],
  ) {}

  heard(text: string, instrument: string): void {
    if (this.protocol.isWholeBook(text)) this.whole.add(instrument);
  }

  /** Refused instruments are subscribed one by one if a refusal does not name them. */
  async subscribe(instruments: readonly string[]): Promise<MissingInstruments> {
    const refused = new Map<string, string>();
    const { batchMax } = this.protocol;
    for (let at = 0; at < instruments.length; at += batchMax) {
      const batch = instruments.slice(at, at + batchMax);
      for (const name of batch) {
        this.fresh.add(name);
        this.whole.delete(name);
      }
      const refusals = await this.refusalsOf(batch);
      const unnamed = refusals.get('');
      if (unnamed === undefined) for (const [name, reason] of refusals) refused.set(name, `venue refused ${name}: ${reason}`);
      else if (batch.length === 1) refused.set(batch[0] ?? '', `venue refused ${batch[0]}: ${unnamed}`);
      else
        for (const name of batch) {
          const [reason] = (await this.refusalsOf([name])).values();
          if (reason !== undefined) refused.set(name, `venue refused ${name}: ${reason}`);
        }
    }
    return refused;
  }

  repeat(instrument: string, what: 'all' | 'book'): void {
    for (const method of ['unsubscribe', 'subscribe'] as const) this.send(this.requests(method, [instrument], what));
  }

  /** @throws VenueError if none arrives in time */
  async wholeBook(instrument: string): Promise<void> {
    if (!this.fresh.delete(instrument)) {
      this.whole.delete(instrument);
      this.repeat(instrument, 'book');
    }
    if (this.whole.has(instrument)) return;
    await this.sockets()[0]?.frame(() => this.whole.has(instrument), WHOLE_BOOK_WITHIN_MS);
  }

  private requests(method: 'subscribe' | 'unsubscribe', instruments: readonly string[], what: 'all' | 'book'): readonly StreamRequest[] {
    return this.protocol.requests(method, instruments, what, ++this.lastId);
  }

  private send(requests: readonly StreamRequest[]): void {
    for (const { socket, text } of requests) this.sockets()[socket]?.send(text);
  }

  /** Reasons by instrument; '' if the venue names none. Ends with the first such refusal. */
  private async refusalsOf(instruments: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const requests = this.requests('subscribe', instruments, 'all');
    const refused = new Map<string, string>();
    const answered = this.sockets().map(async (socket, index) => {
      const keys = new Set(requests.flatMap((request) => (request.socket === index ? request.keys : [])));
      if (keys.size === 0) return;
      await socket.frame((text) => {
        const reply = this.protocol.replyOf(text);
        if (reply?.type === 'accepted') for (const key of reply.keys) keys.delete(key);
        if (reply?.type === 'refused') {
          const { instrument: name = '', reason } = reply;
          refused.set(instruments.includes(name) ? name : '', reason.slice(0, 200));
          for (const key of keys) if (name !== '' && key.endsWith(` ${name}`)) keys.delete(key);
        }
        return keys.size === 0 || refused.has('');
      }, SUBSCRIBED_WITHIN_MS);
    });
    this.send(requests);
    await Promise.all(answered);
    return refused;
  }
}

/** Inserts REST answers of past trades on `catchUp`; `requestSnapshot` subscribes the book again. */
export function createStreamSource(options: StreamSourceOptions): VenueSource {
  const { protocol, wsUrl, restUrl, metadata, logger, wait = delay, clock = systemClock, limits } = options;

  return {
    connect(signal) {
      let sockets: readonly OpenConnection[] = [];
      const subscriptions = new StreamSubscriptions(protocol, () => sockets);
      const bookOf = (text: string) => {
        const book = protocol.bookOf(text);
        if (book !== undefined) subscriptions.heard(text, book.instrument);
        return book;
      };
      const { heartbeat } = protocol;
      const options = protocol.sockets.map((path) => ({ url: urlBelow(wsUrl, path), clock, bookOf, heartbeat, limits }));
      return connectSockets(options, signal, (opened, ended) => {
        sockets = opened;
        const [first] = opened;
        const listed = new ListedInstruments({
          readMetadata: async () => reasonsOf(await listingAnswers(restUrl, metadata.requests, ended)),
          subscribe: (instruments) => subscriptions.subscribe(instruments),
          announce: (change) => first.announce(change),
          logger,
          wait,
          signal: ended,
        });
        return {
          listed,
          subscribe: (instruments) => listed.subscribe(instruments),
          repeat: (instrument) => subscriptions.repeat(instrument, 'all'),
          requestSnapshot: (instrument) => subscriptions.wholeBook(instrument),
          async catchUp(instrument) {
            for (const { path, frameOf } of protocol.backfill(instrument)) {
              try {
                const answer = await restText({ url: urlBelow(restUrl, path), signal: ended });
                first.deliver(frameOf(answer.replaceAll(/[\r\n]+/g, ' ')));
              } catch (error) {
                if (ended.aborted) return;
                logger.warn({ err: error, instrument, path }, 'backfill request failed');
              }
            }
          },
        };
      });
    },
  };

  function reasonsOf(answers: Readonly<Record<string, readonly unknown[]>>): (instrument: string) => string | undefined {
    try {
      return metadata.reasonsOf(answers);
    } catch (error) {
      throw new VenueError('bad_answer', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}
