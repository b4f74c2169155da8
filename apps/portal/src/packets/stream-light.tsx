import { Light } from '../conditions/light';
import { counted } from '@market-state/packet-figures';
import { type CompactPacket, isFresh } from './board';
import type { StreamStanding } from './packet-stream';
import { serviceLeadMs, useNowMs } from '../service/clock';

/** Whether packets come in as they are made: `packets` are the newest of each symbol followed. */
export function StreamLight({ stream, packets }: { readonly stream: StreamStanding; readonly packets: readonly CompactPacket[] }) {
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

/** For so long, milliseconds, it is said that a lost connection has cost nothing. */
const SAID_MS = 15_000;

function secondsTo(atMs: number | null, nowMs: number): number {
  return Math.max(0, Math.ceil(((atMs ?? nowMs) - nowMs) / 1_000));
}

/** What is missing of the stream, and after a lost connection that nothing is. */
function lossWords({ skippedTotal, holeTotal, resumedAtMs }: StreamStanding, nowMs: number): readonly string[] {
  const losses = [
    skippedTotal === 0 ? '' : `${counted(skippedTotal, 'message')} skipped`,
    holeTotal === 0 ? '' : `${counted(holeTotal, 'hole')} of which nothing is kept`,
  ].filter((each) => each !== '');
  return losses.length === 0 && resumedAtMs !== null && nowMs - resumedAtMs < SAID_MS ? ['reconnected, nothing lost'] : losses;
}
