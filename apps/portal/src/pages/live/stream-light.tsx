import { Light } from '../../conditions/light';
import { counted } from '@market-state/packet-figures';
import { type BoardRow, isFresh } from '../../packets/board';
import type { StreamStanding } from '../../packets/packet-stream';
import { serviceLeadMs, useNowMs } from '../../service/clock';

/** Whether packets come in as they are made. */
export function StreamLight({ stream, rows }: { readonly stream: StreamStanding; readonly rows: readonly BoardRow[] }) {
  const atMs = useNowMs() + Math.max(0, serviceLeadMs() ?? 0);
  if (rows.length === 0) return null;
  const stale = rows.filter(({ packet }) => !isFresh(packet, atMs)).length;
  const skipped = stream.skippedTotal === 0 ? '' : `; ${counted(stream.skippedTotal, 'message')} skipped`;
  if (stream.state === 'failed') return <Light state="off" word="not connected" />;
  if (stream.state === 'paused') return <Light state="off" word="paused while hidden" />;
  if (stale === rows.length) return <Light state="waiting" word="no packet for 25 s: reconnecting" />;
  if (stream.state === 'opening') return <Light state="waiting" word="connecting" />;
  const isLive = rows.some(({ packet }) => packet.response_state === 'live');
  return (
    <Light state={stale > 0 ? 'stale' : isLive ? 'live' : 'fresh'} word={`${stale > 0 ? `${stale} stale` : 'up to date'}${skipped}`} />
  );
}
