import { useRead, service } from '../../service/client';
import { whole } from '../../market/numbers';
import { Facts } from '../../controls/facts';
import { lowerFirst, Table } from '../../controls/table';
import { counted, duration, percent, words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { AnswerSection, Light, type LightState } from '../../status-components/conditions';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { PAGES } from '../../pages';
import { useProofs } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import { marketsNamed, symbolOf, venueWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import styles from './proof.module.css';
import { clock } from '../../time/clock';
import type { Data } from '@market-state/client';

type Channel = SourceQuality['symbols'][number]['channels'][number];

type ProofBrowser = Data<'getPublicProofBrowser'>;
type SourceQuality = Data<'getDemoSourceQuality'>;
type Build = Data<'getDemoBuild'>;

function useProofSteps() {
  return useRead(['public', 'packets'], (options) => service.demo.publicProofBrowser({}, options));
}

function useSourceQuality() {
  return useRead(['public', 'source quality'], (options) => service.demo.sourceQuality(options));
}

function useBuild() {
  return useRead(['public', 'build'], (options) => service.demo.build(options), { staleTime: Infinity });
}

/** Gaps are hatched at their true share. */
function SourceGrid({ quality }: { readonly quality: SourceQuality }) {
  return (
    <Table
      className={`${sheet['cards'] ?? ''} ${styles['sources'] ?? ''}`}
      cardHead={lowerFirst}
      rows={marketsNamed(quality.symbols)}
      keyOf={({ symbol }) => symbol}
      columns={[
        {
          head: 'Symbol',
          cell: ({ symbol, venue, source_kind: kind }) => (
            <>
              {symbolOf(symbol)}
              <span className={styles['soft']}>
                {venueWords(venue)}, {words(kind)}
              </span>
            </>
          ),
        },
        ...CHANNELS.map((name) => ({
          head: words(name),
          cell: ({ channels }: SourceQuality['symbols'][number]) => <Coverage channel={channels.find(({ channel }) => channel === name)} />,
        })),
        {
          head: 'Newest packet',
          cell: ({ newest_packet: packet }) => (
            <>
              {packet === null ? 'none yet' : `quality ${packet.quality_score ?? 'not reported'}, ${words(packet.quality_class)}`}
              <span className={styles['soft']}>{packet?.gap_flags.map(words).join(', ')}</span>
            </>
          ),
        },
      ]}
    />
  );
}

const CHANNELS = ['book', 'trades', 'context', 'liquidations'] as const;

function Coverage({ channel }: { readonly channel: Channel | undefined }) {
  if (channel === undefined || !channel.reported || channel.covered_share === null)
    return <span className={styles['soft']}>not reported{absenceWords(channel?.absence ?? null)}</span>;
  const { covered_share: share, observed_seconds: seconds, gap_total: gaps, open_gap_total: open, seam_total: seams } = channel;
  return (
    <>
      <span className={styles['coverage']}>
        <span>{percent(share)}</span>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width={100 * share} height="8" />
        </svg>
      </span>
      <span className={styles['soft']}>
        of {seconds === null ? 'the time' : duration(SECOND_MS * seconds)}; {gaps ?? 0} gaps{open ? `, ${open} open` : ''}
        {seams ? `, ${seams} seams` : ''}
      </span>
    </>
  );
}

const absenceWords = (absence: string | null): string => (absence === null ? '' : `: ${words(absence)}`);
const SECOND_MS = 1_000;

function BuildFacts({ build }: { readonly build: Build }) {
  const {
    source_revision: revision,
    source_modified: isModified,
    source_digest: digest,
    release_fingerprint: fingerprint,
    policy_digest: policy,
    parts,
  } = build;
  const facts = [
    ['built', build.build_time_utc === null ? null : clock(build.build_time_utc)],
    ['source revision', revision === null ? null : `${revision}${isModified === true ? ', modified' : ''}`],
    ['source digest', digest],
    ['release fingerprint', fingerprint],
    ['policy digest', policy],
  ] as const;
  return (
    <>
      <Facts
        className={styles['digests']}
        facts={facts.map(([name, value]) => [name, value === null ? 'not recorded' : <code>{value}</code>])}
      />
      {parts === null ? null : <Parts parts={parts} />}
    </>
  );
}

function Parts({ parts }: { readonly parts: NonNullable<Build['parts']> }) {
  return (
    <details>
      <summary>{counted(parts.length, 'part')}, each with its SHA-256</summary>
      <Table
        scroll="Parts of the build"
        rows={parts}
        keyOf={({ part }) => part}
        columns={[
          { head: 'Part', cell: ({ part }) => part },
          { head: 'Bytes', cell: ({ bytes }) => bytes?.toLocaleString('en-US') ?? 'not recorded', className: sheet['number'] },
          { head: 'SHA-256', cell: ({ sha256 }) => <code>{sha256}</code> },
        ]}
      />
    </details>
  );
}

const MEGABYTE = 1e6;

/** Data that was never captured cannot be recovered. */
function ArchiveDepth({ preview }: { readonly preview: ProofBrowser }) {
  const kinds = [
    ['captured live by this installation', preview.live_owned_archive_hour_total, 'live'],
    ['of a recording', preview.recorded_archive_hour_total, 'recorded'],
    ['from a simulated venue', preview.synthetic_archive_hour_total, 'simulated'],
  ] as const;
  const all = kinds.reduce((sum, [, hours]) => sum + hours, 0);
  return (
    <>
      <h3>Archived hours of rows by source</h3>
      {all === 0 ? (
        <p className={sheet['soft']}>None yet: an hour is archived once it is over.</p>
      ) : (
        <div className={styles['depth']} aria-hidden="true">
          {kinds.map(([name, hours, kind]) => (hours === 0 ? null : <i key={name} data-kind={kind} style={{ flexGrow: hours }} />))}
        </div>
      )}
      <Facts
        className={styles['metrics']}
        facts={[
          ...kinds.map(
            ([name, hours, kind]) =>
              [
                <>
                  <i data-kind={kind} aria-hidden="true" /> {name}
                </>,
                counted(hours, 'hour'),
              ] as const,
          ),
          [
            'archived rows',
            <>
              {whole(preview.archive_row_total)}, {(preview.archive_byte_total / MEGABYTE).toFixed(1)} MB
            </>,
          ],
          ['rows stored in total', whole(preview.stored_row_total)],
          ['archived packets', preview.packet_archive_packet_total?.toLocaleString('en-US') ?? 'not reported'],
          [
            'days in the database, then in the archive',
            <>
              {preview.hot_day_total ?? 'not reported'}, then {preview.archive_day_total ?? 'not reported'} days
            </>,
          ],
        ]}
      />
    </>
  );
}

export default function ProofPage() {
  const steps = useProofSteps();
  return (
    <>
      <div className={sheet['bar']}>
        <h1>What is proved, and what is not public</h1>
      </div>
      <SourceRibbon states={steps.data === undefined ? [] : [steps.data.meta.response_semantics.response_state]} />
      <p className={sheet['note']}>
        A service's claims about itself are not proof. Each line here has a check that works without trusting it: start by{' '}
        <Link href={PAGES.home.pattern}>recomputing a packet</Link>, <Link href={PAGES.verify.pattern}>verify one you already have</Link>,
        or read <Link href={PAGES.how.pattern}>how packets are made</Link>.
      </p>
      <div className={`${sheet['panels'] ?? ''} ${styles['page'] ?? ''}`}>
        <AnswerSection
          box={sheet['panel']}
          title="Self-checks of this service"
          query={useProofs()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={({ proofs }) => <ProofTable proofs={proofs} />}
        />
        <AnswerSection
          title="Six questions, on packets ten minutes old"
          query={steps}
          checkedUtc={({ generated_at_utc: at }) => at}
          show={({ rows }) => <ProofSteps steps={rows} />}
        />
        <AnswerSection
          box={sheet['panel']}
          title="Available history"
          query={steps}
          checkedUtc={({ generated_at_utc: at }) => at}
          show={(preview) => <ArchiveDepth preview={preview} />}
        />
        <AnswerSection
          box={sheet['panel']}
          title="Source completeness over 24 hours"
          query={useSourceQuality()}
          checkedUtc={({ as_of_utc: at }) => at}
          show={(quality) => <SourceGrid quality={quality} />}
        />
        <AnswerSection box={sheet['panel']} title="Build information" query={useBuild()} show={(build) => <BuildFacts build={build} />} />
      </div>
    </>
  );
}

type Step = ProofBrowser['rows'][number];

const EVIDENCE: Readonly<Record<string, readonly [light: LightState, word: string]>> = {
  ready: ['fresh', 'evidence available'],
  preview: ['waiting', 'delayed preview'],
  held: ['stale', 'not public'],
};

function ProofSteps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className={styles['steps']}>
      {steps.map((step) => (
        <li key={step.browser_step_id} className={sheet['panel']}>
          <ProofStep step={step} />
        </li>
      ))}
    </ol>
  );
}

function ProofStep({ step }: { readonly step: Step }) {
  const { row_order: order, customer_question: question, client_answer: answer, evidence_state: state, proof_points: points } = step;
  const [light, word] = EVIDENCE[state] ?? (['off', words(state)] as const);
  const before = step.route_access.filter(({ access }) => access === 'pre_key');
  const after = step.route_access.filter(({ access }) => access !== 'pre_key');
  return (
    <>
      <div className={styles['head']}>
        <h3>
          {order}. {question}
        </h3>
        <Light state={light} word={word} />
      </div>
      <p>{answer}</p>
      <ul>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <Facts
        className={styles['metrics']}
        facts={Object.entries(step.metrics).map(([name, value]) => [metricName(name), metricWords(name, value)])}
      />
      <details>
        <summary>
          Check it: {counted(before.length, 'route')} without a key, {after.length} with a key
        </summary>
        <Routes title="Without a key" routes={before} />
        <Routes title="With a key" routes={after} />
      </details>
    </>
  );
}

/** `gap_flagged_packet_total` becomes `gap flagged packets`. */
function metricName(name: string): string {
  const text = words(name.replace(/_(?:total|utc)$/, ''));
  return name.endsWith('_total') ? `${text.replace(/y$/, /[aeo]y$/.test(text) ? 'y' : 'ie')}s` : text;
}

function metricWords(name: string, value: string | number | null): string {
  if (value === null) return 'not reported';
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
  return name.endsWith('_utc') ? clock(value) : words(value);
}

function Routes({ title, routes }: { readonly title: string; readonly routes: Step['route_access'] }) {
  if (routes.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className={styles['routes']}>
        {routes.map(({ method, route, purpose, access }) => (
          <li key={`${method} ${route}`}>
            {purpose}{' '}
            {access === 'pre_key' && method === 'GET' ? (
              <a href={route}>
                <code>{route}</code>
              </a>
            ) : (
              <code>
                {method} {route}
              </code>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
