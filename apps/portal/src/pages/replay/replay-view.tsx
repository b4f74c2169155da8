import type { Schemas } from '@market-state/client';
import { useEffect, useMemo } from 'react';
import { StateLegend } from '../../figures/state-legend';
import { GapList } from '../../market/gap-list';
import market from '../../market/market.module.css';
import { PacketTable } from '../../market/packet-table';
import { Announcer } from '../../packets/announcer';
import type { CompactPacket } from '../../packets/board';
import { useRunningCost } from '../../service/meter';
import type { Span } from '../../service/url-span';
import { chunkAt, chunksOf, chunkToRead, isRead, readableTo } from './chunks';
import { isLoss, packetsUpTo, stepFrom } from './cursor';
import { FlowAtCursor } from './flow-at-cursor';
import { PacketAtCursor } from './packet-at-cursor';
import { PacketPanes } from './packet-panes';
import { Receipts } from './receipts';
import type { useReplayAddress } from './replay-address';
import { useReplayKeys } from './replay-keys';
import { Transport } from './transport';
import { type Player, usePlayer } from './use-player';
import { CHUNK_CREDITS_MAX, useReadings } from './use-readings';

interface ReplayViewProps {
  readonly span: Span;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly address: Pick<ReturnType<typeof useReplayAddress>, 'atMs' | 'setAt' | 'speed' | 'setSpeed'>;
}

/** Everything of a span on one cursor. */
export function ReplayView({ span, packets, gaps, address }: ReplayViewProps) {
  const chunks = useMemo(() => chunksOf(span), [span.fromMs, span.toMs]);
  const { readings, read } = useReadings(span.symbol);
  const speed = Number(address.speed);
  const player = usePlayer({ bounds: span, startMs: address.atMs, speed, readableTo: (ms) => readableTo(chunks, readings, ms) });
  const { atMs, isPlaying, pause, toggle, seek } = player;
  useAddressOf(player, address.setAt);
  useReplayKeys((action) => {
    if (action === 'toggle') toggle();
    else if ('seconds' in action) seek(atMs + 1_000 * action.seconds);
    else seek(stepFrom(packets, atMs, action.packet, span));
  });
  const chunk = chunkAt(chunks, atMs);
  const reading = chunk === undefined ? undefined : readings.get(chunk.index);
  const isStuck =
    chunk !== undefined && reading !== undefined && reading.state !== 'reading' && atMs >= reading.reachedMs && !isRead(chunk, readings);
  useEffect(() => {
    if (!isPlaying) return;
    const next = chunkToRead(chunks, readings, atMs, speed);
    if (next !== null) read(next);
    else if (isStuck) pause();
  }, [isPlaying, chunks, readings, atMs, speed, read, isStuck, pause]);
  const unread = chunks.filter((each) => !isRead(each, readings)).length;
  useRunningCost('replay', isPlaying && unread > 0 ? unread * CHUNK_CREDITS_MAX : null);

  const total = packetsUpTo(packets, atMs).length;
  const shown = useMemo(() => packets.slice(0, total), [packets, total]);
  const losses = useMemo(() => gaps.filter((gap) => gap.kind === 'seam' || isLoss(gap)), [gaps]);
  const newest = shown.at(-1);
  return (
    <>
      <Transport
        span={span}
        player={player}
        packets={packets}
        gaps={losses}
        chunks={chunks}
        readings={readings}
        speed={address.speed}
        onSpeed={address.setSpeed}
        newest={newest}
      />
      <PacketAtCursor packet={newest} atMs={atMs} />
      {newest === undefined ? null : <Announcer rows={[{ symbol: span.symbol, packet: newest }]} />}
      <div className={market['panes']}>
        <div className={market['charts']}>
          <PacketPanes span={span} packets={shown} gaps={losses} atMs={atMs} />
          <StateLegend />
          <Receipts chunks={chunks} readings={readings} packets={packets} />
          <PacketTable packets={shown} rowsMax={packets.length} />
          <GapList gaps={gaps} />
        </div>
        <div className={market['sides']}>
          {chunk === undefined ? null : (
            <FlowAtCursor symbol={span.symbol} chunks={chunks} chunk={chunk} readings={readings} gaps={gaps} atMs={atMs} onRead={read} />
          )}
        </div>
      </div>
    </>
  );
}

/** Time that a cursor has to rest before the address says where it is, milliseconds: browsers count changes of addresses. */
const REST_MS = 300;

function useAddressOf({ atMs, isPlaying }: Player, setAt: (ms: number) => void): void {
  useEffect(() => {
    if (isPlaying) return undefined;
    const timer = setTimeout(() => setAt(Math.round(atMs)), REST_MS);
    return () => clearTimeout(timer);
  }, [atMs, isPlaying, setAt]);
}
