import { Outline } from '../../conditions/outline';
import { useParams } from 'wouter';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { urlText, useUrlState } from '../../service/url-state';
import { Candidates } from './candidates';
import { Compared } from './compared';
import { Features } from './features';
import { Feedback } from './feedback';
import { Lanes } from '../../market/lanes';
import { LineageRail } from './lineage-rail';
import { neighboursOf } from './neighbours';
import { PacketHead } from './packet-head';
import { useEvidence, useWorkbench, type Evidence, type Workbench } from './packet-queries';
import styles from './packet.module.css';
import { RecomputeEvent } from './recompute-event';
import { Sentences } from './sentences';
import { SharePacket } from './share-packet';
import { SourceRows } from './source-rows';
import { Thresholds } from './thresholds';
import { VerifyPanel } from './verify-panel';
import { WhyNotTheOther } from './why-not';

const DIFF = urlText();

export default function PacketPage() {
  const { event_id: eventId = '' } = useParams<{ event_id: string }>();
  const workbench = useWorkbench(eventId);
  const evidence = useEvidence(eventId);
  if (workbench.error !== null) return <ProblemNotice error={workbench.error} retry={() => void workbench.refetch()} />;
  if (workbench.data === undefined) return <Outline rows={10} label="Loading the packet" />;
  return (
    <PacketView
      key={eventId}
      workbench={workbench.data}
      evidence={evidence.data ?? null}
      fault={evidence.error}
      retry={() => void evidence.refetch()}
    />
  );
}

interface PacketViewProps {
  readonly workbench: Workbench;
  /** Null until it is there. */
  readonly evidence: Evidence | null;
  readonly fault: unknown;
  readonly retry: () => void;
}

function PacketView({ workbench, evidence, fault, retry }: PacketViewProps) {
  const { packet, lineage, meta } = workbench;
  const [diff, setDiff] = useUrlState('diff', DIFF);
  const neighbours = neighboursOf(lineage);
  return (
    <article className={styles['page']}>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <PacketHead workbench={workbench} neighbours={neighbours} />
      <LineageRail workbench={workbench} neighbours={neighbours} compared={diff} onCompare={setDiff} />
      <Compared workbench={workbench} neighbours={neighbours} eventId={diff} onClose={() => setDiff('')} />
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <Sentences packet={packet} listed={new Set(evidence?.features.map(({ feature }) => feature))} />
          <Lanes lanes={packet.compute_lanes} />
        </div>
        <div className={styles['column']}>
          <VerifyPanel workbench={workbench} />
          <RecomputeEvent eventId={packet.event_id} />
          <SharePacket packet={packet} />
          {evidence === null ? null : <Candidates candidates={evidence.candidates} sentence={evidence.decision.sentence} />}
          <WhyNotTheOther workbench={workbench} neighbours={neighbours} />
          {evidence === null ? null : <Thresholds thresholds={evidence.thresholds} calibration={evidence.calibration.sentence} />}
        </div>
        {fault !== null ? (
          <ProblemNotice error={fault} retry={retry} />
        ) : evidence === null ? (
          <Outline rows={8} label="Loading the evidence" />
        ) : null}
        {evidence === null ? null : <Features features={evidence.features} reasons={packet.reason_details} />}
        {evidence === null ? null : <SourceRows channels={evidence.source_rows} />}
        <Feedback eventId={packet.event_id} />
      </div>
    </article>
  );
}
