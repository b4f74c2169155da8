import { whole } from '../../market/numbers';
import { Hidden, lowerFirst, Table } from '../../controls/table';
import { counted, words } from '@market-state/packet-figures';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { AnswerSection, Empty, Outline, ProblemNotice, Light } from '../../status-components/conditions';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { SpendButton } from '../../controls/buttons';
import { PAGES } from '../../pages';
import { type Release, useProofs, useRelease } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import { service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { clock, clockBelow, zoned } from '../../time/clock';
import { ChannelGrid, GapLedger } from './channels';
import { DayCalendar, StoredRows } from './day-calendar';
import { Incidents, ServiceRecord } from './service-record';
import styles from './status.module.css';
import { useMarketWords } from '../../service/use-catalog';
import { useProofsNow, useStatus, useAccuracy } from './use-status';
import { type Accuracy, accuracySentence, faultsOf, leftOutWords, type Part, type Stage, stagesOf, sumByMeasure } from './status-facts';

const MATCHES: Readonly<Record<string, string>> = { current: 'matches', drifted: 'does not match', not_checked: 'not checked' };

function ReleaseMatch({ release }: { readonly release: Release }) {
  const {
    public_release_fingerprint: running,
    public_expected_release_fingerprint: recorded,
    version_match_state: match,
    part_total: parts,
    differing_parts: differing,
    runtime_openapi_path_total: served,
    openapi_public_path_total: described,
    build_time_utc: built,
  } = release;
  return (
    <>
      <p>
        <Light state={match === 'current' ? 'fresh' : 'stale'} word={MATCHES[match] ?? words(match)} />
      </p>
      <p className={styles['soft']}>{release.meta.response_semantics.status_text}</p>
      <Table
        className={styles['release']}
        rows={[
          ['Fingerprint', <Fingerprint of={running} />, <Fingerprint of={recorded} />],
          ['Matching parts', whole(parts - differing.length), whole(parts)],
          ['Paths', `${served} served`, `${described} described`],
        ]}
        keyOf={([name]) => String(name)}
        columns={[
          { head: <Hidden>Part</Hidden>, cell: ([name]) => name },
          { head: 'Running', cell: ([, value]) => value },
          { head: 'Built', cell: ([, , value]) => value },
        ]}
      />
      {differing.length === 0 ? null : <p className={styles['fault']}>Differences: {differing.map(({ part }) => part).join(', ')}.</p>}
      <p className={styles['soft']}>{built === null ? 'The build time is not recorded.' : `Built ${clock(built)}.`}</p>
    </>
  );
}

function Fingerprint({ of: digest }: { readonly of: string | null | undefined }) {
  return <code>{digest?.slice(0, 16) ?? 'not recorded'}</code>;
}

function ServiceMap({ stages }: { readonly stages: readonly Stage[] }) {
  return (
    <ol className={styles['map']} aria-label="Parts of the service in event order">
      {stages.map(({ title, parts }) => (
        <li key={title}>
          <h3>{title}</h3>
          <ul>
            {parts.map((part) => (
              <li key={part.name} data-works={part.works}>
                <PartCard part={part} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function PartCard({ part: { name, task, works, latencyMs, detail } }: { readonly part: Part }) {
  return (
    <>
      <p className={styles['part']}>
        <b>{name}</b>
        <Light state={works === null ? 'off' : works ? 'fresh' : 'stale'} word={works === null ? 'unknown' : works ? 'works' : 'fault'} />
      </p>
      <p className={styles['soft']}>{detail === '' ? task : detail}</p>
      {latencyMs === null ? null : <p className={styles['soft']}>responds in {milliseconds(latencyMs)}</p>}
    </>
  );
}

function milliseconds(ms: number): string {
  return ms < 1 ? 'under 1 ms' : `${whole(Math.round(ms))} ms`;
}

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
      <ProblemNotice error={error} retry={() => void queries.refetchQueries()} />
      <div className={`${sheet['panels'] ?? ''} ${styles['page'] ?? ''}`}>
        <section className={sheet['panel']} aria-label="Parts">
          <h2>Parts in event order</h2>
          {health.data === undefined && readiness.data === undefined ? (
            <Outline rows={6} label="Loading parts" />
          ) : (
            <ServiceMap stages={stages} />
          )}
        </section>
        <section className={sheet['panel']} aria-label="Channels">
          <h2>
            Channels <span className={sheet['soft']}>age of the newest row; missing data of the last 24 hours</span>
          </h2>
          {catalog.data === undefined ? (
            <Outline rows={4} label="Loading channels" />
          ) : symbols.length === 0 ? (
            <Empty why="No symbols are served yet." />
          ) : (
            <>
              <ChannelGrid symbols={symbols} freshness={freshness} />
              <StoredRows catalog={catalog.data} />
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
          <AnswerSection
            box={sheet['panel']}
            title="Release"
            query={useRelease()}
            checkedUtc={({ release_contract_generated_at_utc: at }) => at}
            show={(release) => <ReleaseMatch release={release} />}
          />
        </div>
      </div>
    </>
  );
}

function Verdict({ faults, asOfUtc }: { readonly faults: number; readonly asOfUtc: string }) {
  return (
    <span role="status" className={styles['verdict']}>
      <Light state={faults === 0 ? 'fresh' : 'stale'} word={faults === 0 ? 'All parts working' : `${counted(faults, 'part')} failing`} />
      <span className={sheet['soft']}>as of {clock(asOfUtc, 'time')}, refreshed every 15 s, free</span>
    </span>
  );
}

/** Proofs of delayed packets are free; those of the newest cost credits. */
function OwnProofs() {
  const delayed = useProofs();
  const now = useProofsNow();
  const shown = now.data?.proofs;
  return (
    <>
      <AnswerSection
        title={shown === undefined ? 'Proofs for packets ten minutes old' : 'Proofs for the newest packets'}
        query={delayed}
        checkedUtc={(answer) => (shown ?? answer).as_of_utc}
        show={(answer) => <ProofTable proofs={(shown ?? answer).proofs} />}
      />
      <p className={sheet['actions']}>
        <SpendButton
          action="Check the newest packets"
          busy="Checking…"
          creditsAtMost={service.creditsAtMost('getProofStatus', {})}
          isBusy={now.isPending}
          charged={now.data?.charged ?? null}
          onPress={() => now.mutate()}
        />
        <Link href={PAGES.proof.pattern}>What is proved, and what is not public</Link>
      </p>
      <ProblemNotice error={now.error} retry={() => now.mutate()} />
    </>
  );
}

function VenueAudit() {
  return (
    <section className={sheet['panel']} aria-label="Compared with the venue">
      <AnswerSection
        title="Compared with the venue, every ten minutes"
        query={useAccuracy()}
        checkedUtc={({ as_of_utc: at }) => at}
        show={(answer) =>
          answer.rows.length === 0 ? (
            <Empty why="No comparisons yet. The first runs three minutes after the feed starts." />
          ) : (
            <Found answer={answer} />
          )
        }
      />
    </section>
  );
}

function Found({ answer }: { readonly answer: Accuracy }) {
  return (
    <>
      <p className={styles['soft']}>
        {accuracySentence(answer.rows)}, over the last 31 days;{' '}
        {answer.open_difference_total === 0 ? 'no current differences' : counted(answer.open_difference_total, 'current difference')}
      </p>
      <MeasureTable answer={answer} />
      {answer.differences.length === 0 ? null : <DifferenceTable differences={answer.differences} />}
    </>
  );
}

function MeasureTable({ answer }: { readonly answer: Accuracy }) {
  const wordsOf = useMarketWords();
  return (
    <Table
      className={sheet['cards']}
      cardHead={lowerFirst}
      rows={sumByMeasure(answer.rows)}
      keyOf={(each) => `${each.symbol} ${each.venue} ${each.measure}`}
      columns={[
        { head: 'Symbol', cell: (each) => wordsOf(each) },
        { head: 'Measure', cell: (each) => words(each.measure) },
        { head: 'Compared with', cell: (each) => (each.compared_with === 'venue' ? 'the venue’s API' : 'the recording’s best prices') },
        { head: 'Values compared', cell: (each) => whole(each.comparedTotal), className: sheet['number'] },
        { head: 'Different', cell: (each) => whole(each.differingTotal), className: sheet['number'] },
        { head: 'Not compared', cell: (each) => leftOutWords(each) },
        { head: zoned('Last'), cell: (each) => clockBelow(each.lastRunUtc) },
      ]}
    />
  );
}

function DifferenceTable({ differences }: { readonly differences: Accuracy['differences'] }) {
  const wordsOf = useMarketWords();
  return (
    <Table
      className={sheet['cards']}
      cardHead={lowerFirst}
      rows={differences}
      keyOf={({ difference_id: id }) => id}
      columns={[
        { head: 'Symbol', cell: wordsOf },
        { head: 'Measure', cell: (each) => `${words(each.measure)}, ${counted(each.differing_total, 'value')}` },
        { head: zoned('From'), cell: (each) => clockBelow(each.first_differing_utc) },
        { head: zoned('To'), cell: (each) => clockBelow(each.last_differing_utc) },
        {
          head: 'Largest difference',
          cell: ({ largest_difference: { field, recorded_value: recorded, venue_value: venue } }) =>
            `${words(field)} ${recorded} recorded, ${venue} at the venue`,
        },
        { head: zoned('Resolved'), cell: ({ closed_utc: closed }) => (closed === null ? 'not yet' : clockBelow(closed)) },
      ]}
    />
  );
}
