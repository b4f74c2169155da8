import { useMemo } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { SpanChoice } from '../../controls/span-choice';
import type { Span } from '../../service/url-span';
import sheet from '../../theme/sheet.module.css';
import { LONGEST_MS, useReplayAddress } from './replay-address';
import { ReplayView } from './replay-view';
import { overviewCreditsAtMost, useOverview } from './use-overview';

export default function ReplayPage() {
  const address = useReplayAddress();
  const { span, setSpan } = address;
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Replay</h1>
        <span className={sheet['soft']}>what was known when, by exchange time; space plays, [ ] step a packet</span>
        <Link href={`/live/${span.symbol}`} className={sheet['push'] ?? ''}>
          Jump to live
        </Link>
      </div>
      <SpanChoice
        span={span}
        onChoose={setSpan}
        longestMs={LONGEST_MS}
        action="Show"
        note={`at most an hour; its packets and gaps cost ${overviewCreditsAtMost(span)} credits at most, book and trades as they are played`}
      />
      <Overview key={`${span.symbol} ${span.fromMs} ${span.toMs}`} span={span} address={address} />
    </>
  );
}

function Overview({ span, address }: { readonly span: Span; readonly address: ReturnType<typeof useReplayAddress> }) {
  const { packets, gaps } = useOverview(span);
  const states = useMemo(() => (packets.data ?? []).map(({ response_state: state }) => state), [packets.data]);
  const error = packets.error ?? gaps.error;
  if (error !== null)
    return (
      <ProblemNotice
        error={error}
        retry={() => {
          if (packets.error !== null) void packets.refetch();
          if (gaps.error !== null) void gaps.refetch();
        }}
      />
    );
  if (packets.data === undefined || gaps.data === undefined) return <Outline rows={10} label={`Loading the packets of ${span.symbol}`} />;
  return (
    <>
      <SourceRibbon states={states} />
      {packets.data.length === 0 ? (
        <Empty why={`${span.symbol} has no packet in this span.`}>
          Choose another span, or look on the status of its feed: book and trades may be there all the same.
        </Empty>
      ) : null}
      <ReplayView span={span} packets={packets.data} gaps={gaps.data} address={address} />
    </>
  );
}
