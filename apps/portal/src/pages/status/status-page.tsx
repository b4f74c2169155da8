import { counted } from '@market-state/packet-figures';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AnswerSection } from '../../conditions/answer-section';
import { Empty } from '../../conditions/empty';
import { Light } from '../../conditions/light';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { SpendButton } from '../../controls/spend-button';
import { PAGES } from '../../pages';
import { useProofs, useRelease } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import { service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import { ChannelGrid } from './channel-grid';
import { DayCalendar } from './day-calendar';
import { GapLedger } from './gap-ledger';
import { Incidents } from './incidents';
import { KeptRows } from './kept-rows';
import { faultsOf, stagesOf } from './parts';
import { ReleaseMatch } from './release-match';
import { ServiceMap } from './service-map';
import { ServiceRecord } from './service-record';
import styles from './status.module.css';
import { useProofsNow, useStatus } from './use-status';
import { VenueAudit } from './venue-audit';

export default function StatusPage() {
  const { readiness, health, catalog, freshness } = useStatus();
  const stages = stagesOf(health.data, readiness.data);
  const queries = useQueryClient();
  const error = health.error ?? readiness.error ?? catalog.error;
  const symbols = catalog.data?.symbols ?? [];
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Status</h1>
        {health.data === undefined || readiness.data === undefined ? null : (
          <Verdict faults={faultsOf(stages).length} asOfUtc={health.data.as_of_utc} />
        )}
      </div>
      <SourceRibbon states={[...freshness.values()].map(({ meta }) => meta.response_semantics.response_state)} />
      {error === null ? null : <ProblemNotice error={error} retry={() => void queries.refetchQueries()} />}
      <div className={`${sheet['panels'] ?? ''} ${styles['page'] ?? ''}`}>
        <section className={sheet['panel']} aria-label="Parts">
          <h2>Parts, in the order in which events pass them</h2>
          {health.data === undefined && readiness.data === undefined ? (
            <Outline rows={6} label="Asking the parts" />
          ) : (
            <ServiceMap stages={stages} />
          )}
        </section>
        <section className={sheet['panel']} aria-label="Channels">
          <h2>
            Channels <span className={sheet['soft']}>age of the newest row; what is missing of the last 24 hours</span>
          </h2>
          {catalog.data === undefined ? (
            <Outline rows={4} label="Loading the channels" />
          ) : symbols.length === 0 ? (
            <Empty why="No symbol is served yet." />
          ) : (
            <>
              <ChannelGrid symbols={symbols} freshness={freshness} />
              <KeptRows catalog={catalog.data} />
            </>
          )}
        </section>
        <Incidents />
        <ServiceRecord />
        {symbols.length === 0 ? null : <DayCalendar symbols={symbols.map(({ symbol }) => symbol)} />}
        {symbols.length === 0 ? null : <VenueAudit />}
        <GapLedger symbols={symbols.map(({ symbol }) => symbol)} />
        <div className={styles['pair']}>
          <section className={sheet['panel']}>
            <OwnProofs />
          </section>
          <section className={sheet['panel']}>
            <AnswerSection
              title="Release"
              query={useRelease()}
              checkedUtc={({ release_contract_generated_at_utc: at }) => at}
              show={(release) => <ReleaseMatch release={release} />}
            />
          </section>
        </div>
      </div>
    </>
  );
}

function Verdict({ faults, asOfUtc }: { readonly faults: number; readonly asOfUtc: string }) {
  return (
    <span role="status" className={styles['verdict']}>
      <Light
        state={faults === 0 ? 'fresh' : 'stale'}
        word={faults === 0 ? 'Every part works' : `${counted(faults, 'part')} with a fault`}
      />
      <span className={sheet['soft']}>as of {clock(Date.parse(asOfUtc), 'time')}, asked again every 15 s, free</span>
    </span>
  );
}

/** Proofs on packets at least ten minutes old, free; and on the newest, for what they cost. */
function OwnProofs() {
  const delayed = useProofs();
  const now = useProofsNow();
  const shown = now.data?.proofs;
  return (
    <>
      <AnswerSection
        title={shown === undefined ? 'Proofs, on packets ten minutes old' : 'Proofs, on the newest packets'}
        query={delayed}
        checkedUtc={(answer) => (shown ?? answer).as_of_utc}
        show={(answer) => <ProofTable proofs={(shown ?? answer).proofs} />}
      />
      <p className={sheet['actions']}>
        <SpendButton
          action="Check the newest packets now"
          busy="Checking…"
          creditsAtMost={service.creditsAtMost('getProofStatus', {})}
          isBusy={now.isPending}
          charged={now.data?.charged ?? null}
          onPress={() => now.mutate()}
        />
        <Link href={PAGES.proof.pattern}>What is proved, and what is held back</Link>
      </p>
      {now.error === null ? null : <ProblemNotice error={now.error} retry={() => now.mutate()} />}
    </>
  );
}
