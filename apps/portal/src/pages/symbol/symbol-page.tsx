import { useParams } from 'wouter';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { StateLegend } from '../../figures/state-legend';
import type { CompactPacket } from '../../packets/board';
import { useBoard } from '../../packets/use-board';
import { LiveTable } from '../live/live-table';

export default function SymbolPage() {
  const { symbol = '' } = useParams<{ symbol: string }>();
  const { board, stream, error, isLoading, retry } = useBoard(symbol);
  const rows = [...board.values()];
  return (
    <>
      <SourceRibbon states={rows.map(({ packet }) => packet.response_state)} />
      {stream.failure === null ? null : <ProblemNotice error={stream.failure} />}
      {error === null ? null : <ProblemNotice error={error} retry={retry} />}
      {isLoading ? <Outline rows={6} label={`Loading the newest packet of ${symbol}`} /> : null}
      {rows.length === 0 ? null : <LiveTable rows={rows} pinned={[]} onPin={() => undefined} />}
      {rows.map(({ packet }) => (
        <PacketSentences key={packet.symbol} packet={packet} />
      ))}
      <StateLegend />
    </>
  );
}

function PacketSentences({ packet }: { readonly packet: CompactPacket }) {
  return (
    <section aria-label="What the newest packet says">
      <p>{packet.headline}</p>
      <p>{packet.one_reason}</p>
      <p>{packet.one_against}</p>
      <p>{packet.next_check}</p>
    </section>
  );
}
