import { StreamEnded } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useEffect, useEffectEvent, useReducer, useState } from 'react';
import { noteServiceClock, serviceLeadMs, useNowMs } from '../service/clock';
import { service, read } from '../service/client';
import { metered, creditsOf, useRunningCost } from '../service/meter';
import { followShared } from '../service/shared-stream';
import { useIsSeen } from '../service/visibility';
import { PACKET_MS, type CompactPacket, isFresh } from './live-markets';
import { marketNamed } from './market-name';
import { Light } from '../status-components/conditions';

export function StreamLight({ stream, packets }: { readonly stream: StreamStatus; readonly packets: readonly CompactPacket[] }) {
  const nowMs = useNowMs();
  const atMs = nowMs + Math.max(0, serviceLeadMs() ?? 0);
  if (packets.length === 0) return null;
  const stale = packets.filter((packet) => !isFresh(packet, atMs)).length;
  if (stream.state === 'failed') return <Light state="off" word="not connected" />;
  if (stream.state === 'paused') return <Light state="off" word="paused while hidden" />;
  if (stream.state === 'waiting') return <Light state="waiting" word={`reconnecting in ${secondsTo(stream.retryAtMs, nowMs)} s`} />;
  if (stale === packets.length) return <Light state="waiting" word="no packet for 25 s: reconnecting" />;
  if (stream.state === 'opening') return <Light state="waiting" word="connecting" />;
  const isLive = packets.some((packet) => packet.response_state === 'live');
  return (
    <Light
      state={stale > 0 ? 'stale' : isLive ? 'live' : 'fresh'}
      word={[stale > 0 ? `${stale} stale` : 'up to date', ...lossWords(stream, nowMs)].join('; ')}
    />
  );
}

const SAID_MS = 15_000;

function secondsTo(atMs: number | null, nowMs: number): number {
  return Math.max(0, Math.ceil(((atMs ?? nowMs) - nowMs) / 1_000));
}

function lossWords({ skippedTotal, gapTotal, resumedAtMs }: StreamStatus, nowMs: number): readonly string[] {
  const losses = [
    skippedTotal === 0 ? '' : `${counted(skippedTotal, 'message')} skipped`,
    gapTotal === 0 ? '' : `${counted(gapTotal, 'gap')} with no stored data`,
  ].filter((each) => each !== '');
  return losses.length === 0 && resumedAtMs !== null && nowMs - resumedAtMs < SAID_MS ? ['reconnected, nothing lost'] : losses;
}

/** Limit of one stream: a few days of one open page. */
const CREDITS_MAX = 5_000;
const HOUR_MS = 3_600_000;

export interface StreamStatus {
  readonly state: 'opening' | 'open' | 'waiting' | 'paused' | 'failed';
  /** Local time; null while connected. */
  readonly retryAtMs: number | null;
  readonly resumedAtMs: number | null;
  /** Messages that this reader was too slow for; they are requested again. */
  readonly skippedTotal: number;
  /** Spans whose data has been deleted. */
  readonly gapTotal: number;
  readonly failure: unknown;
}

export interface PacketStream extends StreamStatus {
  readonly goOn: () => void;
}

const OPENING: StreamStatus = { state: 'opening', retryAtMs: null, resumedAtMs: null, skippedTotal: 0, gapTotal: 0, failure: null };

/** Follows the symbols' packets while the page is visible; after a pause it resumes from the last one received. */
export function usePacketStream(symbols: readonly string[], onPacket: (packet: CompactPacket, receivedAtMs: number) => void): PacketStream {
  const isSeen = useIsSeen();
  const names = symbols.join(',');
  const [standing, setStanding] = useState(OPENING);
  const take = useEffectEvent(onPacket);
  const [starts, goOn] = useReducer((before: number) => before + 1, 0);
  const [ids] = useState(() => new Map<string, string>());
  useRunningCost('packets', names === '' || !isSeen ? null : creditsOf((symbols.length * HOUR_MS) / PACKET_MS));

  useEffect(() => {
    if (names === '') return undefined;
    if (!isSeen) {
      setStanding((before) => ({ ...before, state: 'paused' }));
      return undefined;
    }
    setStanding((before) => ({ ...before, state: 'opening', failure: null }));
    const stop = new AbortController();
    void followShared(
      {
        name: `packets:${names}`,
        open: (options) => {
          const wanted = names.split(',');
          const resumeFrom = ids.get(names);
          return metered(service.stream.packets({ symbols: wanted, view: 'compact', resumeFrom }, { ...options, maxCredits: CREDITS_MAX }));
        },
        onMessage(message) {
          setStanding(opened);
          if (message.type === 'packet') {
            ids.set(names, message.id);
            noteServiceClock(Date.parse((message.data as CompactPacket).window_end_utc));
            take(marketNamed(message.data as CompactPacket), Date.now());
          } else if (message.type === 'backfill') take(marketNamed(message.data as CompactPacket), Date.now());
          else if (message.type === 'skipped')
            setStanding((before) => ({ ...before, skippedTotal: before.skippedTotal + message.data.row_total }));
          else if (message.type === 'hole') setStanding((before) => ({ ...before, gapTotal: before.gapTotal + 1 }));
          else if (message.type === 'end')
            setStanding((before) => ({ ...before, state: 'failed', failure: new StreamEnded(message.code, message.resumeId, undefined) }));
        },
        onConnection(connection) {
          if (connection.state === 'waiting')
            setStanding((before) => ({ ...before, state: 'waiting', retryAtMs: Date.now() + connection.waitMs }));
        },
        onFailure: (failure) => setStanding((before) => ({ ...before, state: 'failed', failure })),
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [names, isSeen, ids, starts]);

  return { ...standing, goOn };
}

function opened(before: StreamStatus): StreamStatus {
  if (before.state === 'open') return before;
  const isResumed = before.retryAtMs !== null;
  return { ...before, state: 'open', retryAtMs: null, resumedAtMs: isResumed ? Date.now() : before.resumedAtMs };
}

export async function readLatest(symbol: string, signal: AbortSignal) {
  const latest = await read(service.latest.get({ symbol, view: 'compact' }, { signal }));
  return { ...latest, rows: (latest.rows as readonly CompactPacket[]).map(marketNamed) };
}
