import { isServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import { toUtcOrNull, responseStateOf } from '../serving/meta/meta';
import type { StreamMeter } from '../serving/metering/stream-meter';
import { makeMessage } from './frame';
import { STREAM_LIMITS } from './limits';
import type { EndCode, StreamTransport } from './transport';
import type { Piece, StreamSource } from '../serving/answers/handler';

export interface StreamMetrics {
  readonly clients: Gauge<'route'>;
  readonly sent: Counter<'route'>;
  readonly skipped: Counter<'route'>;
}

export function createStreamMetrics({ registry }: Metrics): StreamMetrics {
  const registers = [registry];
  return {
    clients: new Gauge({ name: 'event_stream_clients', help: 'Open streams.', labelNames: ['route'], registers }),
    sent: new Counter({
      name: 'event_stream_messages_sent_total',
      help: 'Messages sent to readers, excluding heartbeats and last messages.',
      labelNames: ['route'],
      registers,
    }),
    skipped: new Counter({
      name: 'event_stream_messages_skipped_total',
      help: 'Rows and gaps reported to readers as missed.',
      labelNames: ['route'],
      registers,
    }),
  };
}

interface SendStreamDeps {
  readonly logger: Logger;
  readonly metrics: StreamMetrics;
  readonly route: string;
  /** Null if the stream is not metered. */
  readonly meter: StreamMeter | null;
  /** The reason is the code of the last message. */
  readonly ending: AbortSignal;
}

type HeartbeatFacts = Pick<StreamSource, 'feedClockMs' | 'feedClocks' | 'sourceKinds' | 'delayed'>;

export function renderHeartbeat(source: HeartbeatFacts, id: string | null): Buffer {
  const clocks = source.feedClocks?.();
  return makeMessage(
    'heartbeat',
    {
      feed_clock_utc: toUtcOrNull(source.feedClockMs()),
      ...(clocks === undefined
        ? {}
        : { feed_clocks: Object.fromEntries([...clocks].map(([symbol, clockMs]) => [symbol, toUtcOrNull(clockMs)])) }),
      response_state: responseStateOf({ sourceKinds: source.sourceKinds(), delayed: source.delayed }),
    },
    id ?? undefined,
  );
}

export function renderEnd(code: EndCode, id: string | null): Buffer {
  return makeMessage('end', { code, resume_id: id });
}

/** The next piece is built once the reader has consumed the last: a slow reader costs one piece of memory. */
export async function sendStream(
  transport: StreamTransport,
  source: StreamSource,
  { logger, metrics, route, meter, ending }: SendStreamDeps,
): Promise<void> {
  const stop = new AbortController();
  const pieces = source.pieces(stop.signal);
  let id = source.startId;
  let ready: Piece | undefined;
  let requested = false;
  let endCode: EndCode | undefined;
  let heartbeatDue = source.heartbeatFirst;
  let writable = true;
  let gone = false;
  let wake = (): void => undefined;

  function note(change: () => void): () => void {
    return () => {
      change();
      wake();
    };
  }

  function ask(): void {
    requested = true;
    pieces.next().then(
      (next) =>
        note(() => {
          requested = false;
          if (next.done === true) endCode ??= source.receiptStatus?.() ?? 'upstream_lost';
          else ready = next.value;
        })(),
      (error: unknown) =>
        note(() => {
          if (isServiceError(error)) logger.warn({ reason: error.reason, detail: error.detail, route }, 'a stream lost its source');
          else logger.error({ err: error, route }, 'a stream failed');
          endCode ??= 'upstream_lost';
        })(),
    );
  }

  const heartbeat = setInterval(
    note(() => void (heartbeatDue = true)),
    STREAM_LIMITS.heartbeatMs,
  );
  const onEnding = note(() => void (endCode ??= ending.reason as EndCode));
  const onDrain = note(() => void (writable = true));
  const stopWatching = transport.onOver(note(() => void (gone = true)));
  transport.onDrain(onDrain);
  ending.addEventListener('abort', onEnding, { once: true });
  if (ending.aborted) onEnding();

  try {
    while (!gone && endCode === undefined) {
      if (writable && heartbeatDue) {
        heartbeatDue = false;
        writable = transport.heartbeat(renderHeartbeat(source, id));
      } else if (!transport.isOpen()) {
        // Half-closed by the caller: nothing more is sent or charged.
        gone = true;
      } else if (writable && ready !== undefined) {
        const paying = meter?.pay(ready.messageTotal) ?? null;
        const stopped = paying === null ? null : await paying;
        if (stopped !== null) endCode ??= stopped;
        if (gone || endCode !== undefined) continue;
        ({ id } = ready);
        if (ready.bytes.length > 0) writable = transport.write(ready.bytes);
        metrics.sent.inc({ route }, ready.messageTotal);
        if (ready.skippedTotal > 0) metrics.skipped.inc({ route }, ready.skippedTotal);
        ready = undefined;
      } else {
        if (ready === undefined && !requested) ask();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (!gone) await sendEnd(transport, endCode ?? 'upstream_lost', id, ending);
  } finally {
    stopWatching();
    clearInterval(heartbeat);
    ending.removeEventListener('abort', onEnding);
    stop.abort();
    void pieces.return().catch(() => undefined);
  }
}

/** Cuts readers that do not consume it in time. */
async function sendEnd(transport: StreamTransport, code: EndCode, id: string | null, ending: AbortSignal): Promise<void> {
  let cut: NodeJS.Timeout | undefined;
  const cutSoon = (): void => {
    cut = setTimeout(() => transport.destroy(), STREAM_LIMITS.endGraceMs);
  };
  if (ending.aborted) cutSoon();
  else ending.addEventListener('abort', cutSoon, { once: true });
  const over = new Promise<void>((resolve) => void transport.onOver(resolve));
  transport.end(renderEnd(code, id), code);
  await over;
  clearTimeout(cut);
  ending.removeEventListener('abort', cutSoon);
}
