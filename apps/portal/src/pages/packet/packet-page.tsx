import { Table } from '../../controls/table';
import { counted, words } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useParams } from 'wouter';
import { Outline, ProblemNotice } from '../../status-components/conditions';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { urlText, useUrlState } from '../../service/url-state';
import { Candidates, Thresholds, Features } from './label-evidence';
import { Compared, LineageRail } from './lineage';
import { Lanes } from '../../market/lanes';
import { adjacentPacketsOf } from './adjacent-packets';
import { packetCreditsMax, useEvidence, useWorkbench, type Evidence, type Workbench } from './packet-queries';
import { PacketHead, Sentences, rowsId } from './packet-summary';
import styles from './packet.module.css';
import { SharePacket } from './share-packet';
import { VerifyPanel } from './verify-panel';
import { WhyNotTheOther } from './why-not';
import { read, service } from '../../service/client';
import { useRoleGap } from '../../service/session';
import { BUNDLE_CREDITS_MAX, loadEventBundle } from '../../recompute/event-bundle';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import type { LoadRequest } from '../../recompute/use-recompute';
import { OpeningCost } from '../../controls/opening-cost';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { rowWords } from './packet-words';

function SourceRows({ channels }: { readonly channels: Evidence['source_rows'] }) {
  return (
    <section aria-label="Rows" className={styles['full']}>
      <h2>Source rows</h2>
      {channels.map((channel) => (
        <details key={channel.channel} id={rowsId(channel.channel)} open>
          <summary>
            {words(channel.channel)}{' '}
            <span className={styles['soft']}>
              {channel.reported && channel.applied_in_window_total !== null
                ? `${counted(channel.applied_in_window_total, 'row')} in the window, ${words(channel.selection)}`
                : 'not reported by this source'}
            </span>
          </summary>
          {channel.rows === null || channel.rows.length === 0 ? null : (
            <Table
              scroll={`Rows of ${words(channel.channel)}`}
              hasRowHeads={false}
              rows={channel.rows}
              keyOf={(row) => row.sequence}
              columns={[
                { head: 'Sequence', cell: (row) => row.sequence, className: styles['number'] },
                { head: zoned('Exchange time'), cell: (row) => millis(row.exchange_time_utc) },
                { head: zoned('Received'), cell: (row) => millis(row.received_time_utc) },
                { head: 'Row', cell: (row) => ('row' in row ? rowWords({ ...row.row }) : '') },
                { head: 'Flags', cell: (row) => row.flags.map(words).join(', '), cellClass: styles['soft'] },
              ]}
            />
          )}
        </details>
      ))}
    </section>
  );
}

function millis(time: string): string {
  return clockBelow(time, 'timeMilli');
}

function RecomputeEvent({ eventId }: { readonly eventId: string }) {
  const load: LoadRequest = useCallback(
    async (signal) => {
      const [keys, policy, { bundle }] = await Promise.all([
        read(service.signingKeys.get({ signal })),
        read(service.demo.labelingPolicy({}, { signal })),
        loadEventBundle(eventId, signal),
      ]);
      return { bundle, policyFiles: policy.files, keys: keys.keys, eventId };
    },
    [eventId],
  );
  return (
    <RecomputePanel
      title="Recomputed in your browser"
      action={`Recompute, at most ${BUNDLE_CREDITS_MAX} credits`}
      load={load}
      keyKind="published"
    >
      <ul>
        <li>2 credits, plus 1 per 1,000 log entries (rounded up). The log is loaded once, however often you check it or move a trade.</li>
        <li>
          The starting checkpoint comes from this server. On the machine that runs the service,{' '}
          <code>npx market-state verify --from 0</code> starts at the log&apos;s first entry.
        </li>
        <li>
          This page&apos;s script comes from this server. To avoid trusting it, run <code>npx market-state verify</code> on the bundle,
          which <code>events.bundle</code> in the SDK downloads.
        </li>
      </ul>
    </RecomputePanel>
  );
}

const LABELS = [
  ['useful', 'Useful'],
  ['partial', 'Partly'],
  ['missing_context', 'Missing context'],
  ['noise', 'Noise'],
] as const;

/** One rating per account; a later one replaces it. */
function Feedback({ eventId }: { readonly eventId: string }) {
  const gap = useRoleGap('member');
  const { mutate, data, variables, isPending, error } = useMutation({
    mutationFn: (label: (typeof LABELS)[number][0]) => read(service.packets.feedback({ event_id: eventId, label })),
  });
  return (
    <section aria-label="Feedback" className={styles['feedback']}>
      <h2>Was this label useful?</h2>
      <p className={styles['actions']}>
        {LABELS.map(([label, title]) => (
          <button
            key={label}
            type="button"
            aria-pressed={data !== undefined && variables === label}
            disabled={isPending || gap !== undefined}
            onClick={() => mutate(label)}
          >
            {title}
          </button>
        ))}
        <span className={styles['soft']}>
          {gap ?? (data === undefined ? '1 credit; you can change your answer' : 'Saved. You can change your answer.')}
        </span>
      </p>
      <ProblemNotice error={error} />
    </section>
  );
}

export default function PacketPage() {
  const { event_id: eventId = '' } = useParams<{ event_id: string }>();
  const workbench = useWorkbench(eventId);
  const evidence = useEvidence(eventId);
  return (
    <>
      <p className={sheet['note']}>
        <OpeningCost credits={packetCreditsMax(eventId)} />
      </p>
      {workbench.error !== null ? (
        <ProblemNotice error={workbench.error} retry={() => void workbench.refetch()} />
      ) : workbench.data === undefined ? (
        <Outline rows={10} label="Loading the packet" />
      ) : (
        <PacketView
          key={eventId}
          workbench={workbench.data}
          evidence={evidence.data ?? null}
          fault={evidence.error}
          retry={() => void evidence.refetch()}
        />
      )}
    </>
  );
}

interface PacketViewProps {
  readonly workbench: Workbench;
  readonly evidence: Evidence | null;
  readonly fault: unknown;
  readonly retry: () => void;
}

function PacketView({ workbench, evidence, fault, retry }: PacketViewProps) {
  const { packet, lineage, meta } = workbench;
  const [diff, setDiff] = useUrlState('diff', urlText);
  const adjacentPackets = adjacentPacketsOf(lineage);
  return (
    <article className={styles['page']}>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <PacketHead packet={packet} adjacentPackets={adjacentPackets} />
      <LineageRail workbench={workbench} adjacentPackets={adjacentPackets} compared={diff} onCompare={setDiff} />
      <Compared workbench={workbench} adjacentPackets={adjacentPackets} eventId={diff} onClose={() => setDiff('')} />
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
          <WhyNotTheOther workbench={workbench} adjacentPackets={adjacentPackets} />
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
