import type { StreamMessages, StreamOf, StreamOptions, StreamParams } from './streams/types';

type Replay = StreamParams<'streamDataReplay'>;
type ReplayMessage = StreamMessages['streamDataReplay'];

/** Replay that can be paused, moved and paced while it is read. */
export interface ReplayPlayer extends AsyncIterable<ReplayMessage> {
  /** Closes the connection; nothing more is received or charged until `play`. */
  pause(): void;
  /** Resumes after the last message received. */
  play(): void;
  /**
   * Jumps forwards or back to an instant of the window, RFC 3339 or epoch milliseconds, without reading the rows in
   * between. A new plan follows, and the receipt covers the rows after it. A paused player stays paused.
   */
  seek(instant: string | number): void;
  /** 1 to 100, or `max`; continues after the last message. */
  setSpeed(speed: string | number): void;
}

/**
 * Like `stream.replay`, for a single loop. Each change opens a new stream with its own `maxCredits`; `withBudget`
 * limits the total. Leaving the loop closes it.
 */
export function playReplay(
  client: { readonly stream: { replay(params: Replay, options?: StreamOptions): StreamOf<'streamDataReplay'> } },
  params: Replay,
  options: StreamOptions = {},
): ReplayPlayer {
  let wanted = params;
  let isPaused = false;
  let isMoved = true;
  let segment = new AbortController();
  let wake = (): void => undefined;

  function change(next: Replay, paused = isPaused): void {
    wanted = next;
    isPaused = paused;
    segment.abort();
    wake();
  }

  /** Pins the window and the as-of instant, which must not change on resume. */
  function pin({ start_utc: start, end_utc: end, as_of_utc: asOf }: Extract<ReplayMessage, { type: 'plan' }>['data']): void {
    const latest = params.as_of ?? (String(wanted.as_of ?? '') > asOf ? wanted.as_of : asOf);
    wanted = { ...wanted, start: wanted.start ?? start, end: wanted.end ?? end, as_of: latest };
  }

  async function* messages(): AsyncGenerator<ReplayMessage, void, undefined> {
    const { signal } = options;
    const follow = (): void => {
      segment.abort();
      wake();
    };
    signal?.addEventListener('abort', follow, { once: true });
    try {
      for (;;) {
        while (isPaused && signal?.aborted !== true) await new Promise<void>((resolve) => (wake = resolve));
        if (signal?.aborted === true) throw signal.reason;
        segment = new AbortController();
        const { signal: ended } = segment;
        try {
          for await (const message of client.stream.replay(wanted, { ...options, signal: ended })) {
            if (message.type === 'plan') {
              pin(message.data);
              if (!isMoved) continue;
            } else isMoved = false;
            if ('id' in message && message.id !== '') wanted = { ...wanted, resumeFrom: message.id };
            yield message;
            if (ended.aborted) break;
            if (message.type === 'end') return;
          }
          if (!ended.aborted) return;
        } catch (error) {
          if (!ended.aborted) throw error;
        }
      }
    } finally {
      signal?.removeEventListener('abort', follow);
    }
  }

  return {
    [Symbol.asyncIterator]: messages,
    pause: () => change(wanted, true),
    play: () => change(wanted, false),
    seek(instant) {
      isMoved = true;
      change({ ...wanted, start: instant, resumeFrom: undefined });
    },
    setSpeed: (speed) => change({ ...wanted, speed }),
  };
}
