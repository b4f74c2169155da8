import type { Logger } from '@market-state/logging';
import type { ListedInstruments } from './listed-instruments';
import { type BookStream, MessageQueue } from './message-queue';
import { CONNECTION_LIMITS, type ConnectionLimits, type Heartbeat, openSocket, type VenueSocket } from './venue-socket';
import {
  type ConnectionCounts,
  type ListingChange,
  type MessageBatch,
  type VenueClock,
  type VenueConnection,
  VenueError,
} from './venue-source';

/** Options of every venue's source. `wait` and `clock` are replaced by tests. */
export interface SourceOptions {
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly logger: Logger;
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
  readonly clock?: VenueClock;
  readonly limits?: ConnectionLimits;
}

interface OpenConnectionOptions {
  readonly url: string;
  readonly clock: VenueClock;
  /** Undefined if the frame must never be dropped. Must not throw. */
  bookOf(text: string): BookStream | undefined;
  readonly heartbeat?: Heartbeat;
  readonly limits?: ConnectionLimits;
}

export interface OpenConnection {
  send(text: string): void;
  /** Inserts a REST response, stamped with the current time. */
  deliver(text: string): void;
  announce(change: ListingChange): void;
  messages(): AsyncGenerator<MessageBatch>;
  /** The next matching frame, which also stays in the messages. */
  frame(holds: (text: string) => boolean, deadlineMs: number): Promise<string>;
  readonly counts: Readonly<ConnectionCounts>;
  abandon(reason: string): void;
  close(): void;
}

interface Watcher {
  holds(text: string): boolean;
  resolve(text: string): void;
  reject(error: unknown): void;
}

/** @throws VenueError `unreachable`, or the signal's reason */
export async function openConnection(
  { url, clock, bookOf, heartbeat, limits = CONNECTION_LIMITS }: OpenConnectionOptions,
  signal: AbortSignal,
): Promise<OpenConnection> {
  const counts: ConnectionCounts = { received: 0, oversizedFrames: 0, collapsedBooks: 0 };
  const watchers = new Set<Watcher>();
  let ended: { error: VenueError | undefined } | undefined;

  const opened: { socket?: VenueSocket } = {};
  const messages = new MessageQueue(limits.queueMax, { pause: () => opened.socket?.pause(), resume: () => opened.socket?.resume() });
  const socket = (opened.socket = await openSocket(
    url,
    limits,
    {
      onText: (text) => take(text, bookOf(text)),
      onOversizedFrame: () => {
        counts.oversizedFrames++;
        messages.refuse(clock.nowMs());
      },
      onEnd: (error) => {
        ended = { error };
        for (const watcher of watchers) watcher.reject(error ?? closed());
        messages.notify();
      },
    },
    signal,
    heartbeat,
  ));

  function take(text: string, book: BookStream | undefined): void {
    const receivedMs = clock.nowMs();
    messages.push({ receivedMs, receivedNs: `${receivedMs}000000`, text }, book);
    for (const watcher of watchers) if (watcher.holds(text)) watcher.resolve(text);
  }

  async function* read(): AsyncGenerator<MessageBatch> {
    for (;;) {
      const batch = messages.take();
      if (batch !== undefined) {
        counts.received += batch.messages.length;
        for (const count of Object.values(batch.overflow?.collapsedBooks ?? {})) counts.collapsedBooks += count;
        yield batch;
      } else if (ended === undefined) await messages.changed();
      else if (ended.error === undefined) return;
      else throw ended.error;
    }
  }

  return {
    send: (text) => socket.send(text),
    deliver: (text) => take(text, undefined),
    announce: (change) => messages.announce(change),
    messages: read,
    frame: (holds, deadlineMs) =>
      new Promise<string>((resolve, reject) => {
        if (ended !== undefined) return reject(ended.error ?? closed());
        const timer = setTimeout(
          () => watcher.reject(new VenueError('bad_answer', `venue did not respond within ${deadlineMs} ms`)),
          deadlineMs,
        );
        const done = (): void => {
          clearTimeout(timer);
          watchers.delete(watcher);
        };
        const watcher: Watcher = { holds, resolve: (text) => (done(), resolve(text)), reject: (error) => (done(), reject(error)) };
        watchers.add(watcher);
      }),
    counts,
    abandon: (reason) => socket.abandon(reason),
    close: () => socket.close(),
  };
}

function closed(): VenueError {
  return new VenueError('connection_lost', 'the connection was closed');
}

interface VenueRequests extends Pick<VenueConnection, 'subscribe' | 'requestSnapshot' | 'catchUp'> {
  readonly listed: ListedInstruments;
  /** Subscribes an instrument again. */
  repeat(instrument: string): void;
}

/**
 * Opens the sockets of one connection to a venue; it ends with the first of them.
 * @param requestsOf sends what the venue's protocol needs; its signal aborts when the connection ends
 * @throws VenueError `unreachable`, or the signal's reason
 */
export async function connectSockets(
  options: readonly OpenConnectionOptions[],
  signal: AbortSignal,
  requestsOf: (sockets: readonly [OpenConnection, ...OpenConnection[]], ended: AbortSignal) => VenueRequests,
): Promise<VenueConnection> {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const opened = await Promise.allSettled(options.map((one) => openConnection(one, signal)));
  const sockets = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = opened.find((result) => result.status === 'rejected');
  const [first, ...others] = sockets;
  const closeAll = (): void => sockets.forEach((socket) => socket.close());
  if (failed !== undefined || first === undefined) {
    closeAll();
    throw failed?.reason ?? closed();
  }
  const { listed, repeat, ...requests } = requestsOf([first, ...others], either);
  return {
    ...requests,
    async resubscribe(instrument) {
      await listed.refresh();
      if (!either.aborted && !listed.isMissing(instrument)) repeat(instrument);
    },
    messages: () => (others.length === 0 ? first.messages() : mergedMessages(sockets)),
    get counts() {
      return mergedCounts(sockets);
    },
    abandon: (reason) => first.abandon(reason),
    close() {
      ended.abort(closed());
      closeAll();
    },
  };
}

interface Turn {
  readonly batch: MessageBatch | undefined;
  readonly taken: () => void;
}

async function* mergedMessages(connections: readonly OpenConnection[]): AsyncGenerator<MessageBatch> {
  const turns: Turn[] = [];
  const state: { failure?: { readonly error: unknown }; wake?: () => void; isOver: boolean } = { isOver: false };

  /** One batch at a time, so that backpressure reaches the socket's queue. */
  async function pump(connection: OpenConnection): Promise<void> {
    try {
      for await (const batch of connection.messages()) {
        await new Promise<void>((taken) => offer({ batch, taken }));
        if (state.isOver) return;
      }
      offer({ batch: undefined, taken: () => undefined });
    } catch (error) {
      state.failure ??= { error };
      state.wake?.();
    }
  }

  function offer(turn: Turn): void {
    turns.push(turn);
    state.wake?.();
  }

  for (const connection of connections) void pump(connection);
  try {
    for (;;) {
      const turn = turns.shift();
      if (turn !== undefined) {
        if (turn.batch === undefined) return;
        yield turn.batch;
        turn.taken();
      } else if (state.failure !== undefined) throw state.failure.error;
      else await new Promise<void>((resolve) => (state.wake = resolve));
    }
  } finally {
    state.isOver = true;
    for (const { taken } of turns) taken();
  }
}

function mergedCounts(connections: readonly OpenConnection[]): ConnectionCounts {
  const sum = (of: keyof ConnectionCounts): number => connections.reduce((total, { counts }) => total + counts[of], 0);
  return { received: sum('received'), oversizedFrames: sum('oversizedFrames'), collapsedBooks: sum('collapsedBooks') };
}
