import { StreamEnded } from '@market-state/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { service } from '../../service/client';
import { metered, creditsOf } from '../../service/meter';
import { collectRows, NO_ROWS, type Chunk, type ChunkReading, type Readings } from './chunks';

/** Spending limit of one chunk: 10,000 messages. */
export const CHUNK_CREDITS_MAX = 100;
const CHANNELS = ['book', 'trades', 'packets'] as const;

const unread = (chunk: Chunk): ChunkReading => ({
  state: 'reading',
  messages: 0,
  credits: 0,
  rows: NO_ROWS,
  reachedMs: chunk.startMs,
  receipt: null,
  resumeId: null,
  failure: null,
});

/** `read` reads a chunk or resumes it; one chunk is read at a time. */
export function useReadings(symbol: string): { readonly readings: Readings; readonly read: (chunk: Chunk) => void } {
  const [readings, setReadings] = useState<Readings>(new Map());
  const known = useRef(readings);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const read = useCallback(
    (chunk: Chunk): void => {
      if ([...known.current.values()].some(({ state }) => state === 'reading')) return;
      const controller = new AbortController();
      stop.current = controller;
      const note = (reading: ChunkReading): void => {
        if (controller.signal.aborted) return;
        known.current = new Map(known.current).set(chunk.index, reading);
        setReadings(known.current);
      };
      const before: ChunkReading = { ...(known.current.get(chunk.index) ?? unread(chunk)), state: 'reading', failure: null };
      note(before);
      void readOn(symbol, chunk, before, controller.signal).then(note);
    },
    [symbol],
  );
  return { readings, read };
}

async function readOn(symbol: string, chunk: Chunk, before: ChunkReading, signal: AbortSignal): Promise<ChunkReading> {
  const collected = collectRows(before.rows);
  let { resumeId, receipt, reachedMs } = before;
  let messages = 0;
  const ended = (state: ChunkReading['state'], failure: unknown): ChunkReading => ({
    state,
    messages: before.messages + messages,
    credits: before.credits + Math.ceil(creditsOf(messages)),
    rows: collected.rows(),
    reachedMs: receipt === null ? reachedMs : chunk.endMs,
    receipt,
    resumeId,
    failure,
  });
  try {
    const stream = service.stream.replay(
      {
        symbols: symbol,
        channels: CHANNELS,
        start: new Date(chunk.startMs).toISOString(),
        end: new Date(chunk.endMs).toISOString(),
        speed: 'max',
        ...(resumeId === null ? {} : { resumeFrom: resumeId }),
      },
      { signal, maxCredits: CHUNK_CREDITS_MAX },
    );
    for await (const message of metered(stream)) {
      if ('id' in message) {
        messages += 1;
        resumeId = message.id;
      }
      if (message.type === 'row') {
        collected.add(message.data);
        reachedMs = Math.max(reachedMs, Date.parse(message.data.exchange_time_utc));
      } else if (message.type === 'receipt') receipt = message.data;
      else if (message.type === 'end' && receipt === null)
        return ended('failed', new StreamEnded(message.code, message.resumeId, undefined));
    }
    return ended('ended', null);
  } catch (failure) {
    return ended('failed', failure);
  }
}
