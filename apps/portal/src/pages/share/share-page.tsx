import { useRead, service } from '../../service/client';
import { whole } from '../../market/numbers';
import { Loaded, ProblemNotice } from '../../status-components/conditions';
import { Facts } from '../../controls/facts';
import type { Data } from '@market-state/client';
import { checkPacket, checkSignature } from '@market-state/client/verify';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { Drivers } from '../../packets/drivers';
import { marketNamed, marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { clock, clockSpan } from '../../time/clock';
import { Lanes } from '../../market/lanes';
import { PacketHead, Sentences } from '../packet/packet-summary';
import packetStyles from '../packet/packet.module.css';
import { CopyButton } from '../../controls/buttons';
import styles from './share.module.css';
import { bodyWords, CheckLine, makerWords } from '../packet/verify-panel';

type SharedPacket = Data<'getSharedPacket'>;

const NO_BODY = { mark: 'open', words: 'not checked: the packet is hidden' } as const;
const NO_DERIVATION = { mark: 'open', words: 'not checked in this page: it needs the recorded rows' } as const;

function ProofChecks({ shared }: { readonly shared: SharedPacket }) {
  const { packet, proof } = shared;
  const signed = {
    signature: proof.signature?.signature ?? null,
    signing_key_id: proof.signature?.signing_key_id ?? null,
    packet_generated_at_utc: proof.packet_generated_at_utc,
  };
  const keys = useRead(['signing keys'], (options) => service.signingKeys.get(options), { staleTime: Infinity });
  const body = useQuery({
    queryKey: ['share check', shared.share_id],
    queryFn: () => (packet === null ? null : checkPacket({ packet, ...proof, ...signed }, keys.data)),
    enabled: keys.data !== undefined,
    staleTime: Infinity,
  });
  const maker = useQuery({
    queryKey: ['share maker', shared.share_id],
    queryFn: () => checkSignature(signed, proof.packet_digest, keys.data ?? []),
    enabled: keys.data !== undefined,
    staleTime: Infinity,
  });
  const fault = keys.error ?? body.error ?? maker.error;
  return (
    <section className={packetStyles['verify']} aria-label="Verification">
      <h2>Verification</h2>
      <dl>
        <CheckLine name="Body" answer={body.data === null ? NO_BODY : bodyWords(body.data)} detail={bodyDetail(body.data?.packetDigest)} />
        <CheckLine
          name="Maker"
          answer={makerWords(packet === null ? maker.data : (body.data ?? undefined))}
          detail={`Ed25519 signature over the digest by ${signed.signing_key_id ?? 'no key'}, checked in this browser against the published key.`}
        />
        <CheckLine name="Derivation" answer={NO_DERIVATION} detail="Recomputed from the recorded rows, byte for byte." />
      </dl>
      <p className={sheet['soft']}>
        To recompute it with a key, run <code>npx market-state verify --event {proof.event_id}</code> on your machine, or{' '}
        <a href="/verify">load its bundle in this browser</a>. This page&apos;s script and the list of keys come from this server; the
        command does not need the script.
      </p>
      <ProblemNotice error={fault} retry={() => void keys.refetch()} />
    </section>
  );
}

function bodyDetail(computed: string | undefined): string {
  const how = 'SHA-256 of the packet as RFC 8785 JSON, computed in this browser';
  return computed === undefined ? `${how}.` : `${how}: ${computed}`;
}

type Proof = SharedPacket['proof'];

const LINES: readonly (readonly [name: string, of: (proof: Proof) => string])[] = [
  ['event', ({ event_id: id }) => id],
  ['packet', ({ packet_id: id }) => id],
  ['symbol', (proof) => marketWords(marketNamed(proof).symbol)],
  ['window', ({ window_start_utc: start, window_end_utc: end }) => clockSpan(start, end)],
  ['created', ({ packet_generated_at_utc: at }) => clock(at)],
  ['packet digest', ({ packet_digest: digest }) => digest],
  ['lineage digest', ({ lineage_digest: digest }) => digest],
  ['inputs', ({ input_digest: digest }) => digest],
  ['policy', ({ policy_digest: digest }) => digest],
  ['signature', ({ signature }) => signature?.signature ?? 'not signed'],
  ['signing key', ({ signature }) => signature?.signing_key_id ?? 'not signed'],
  ['public key', ({ signature }) => signature?.public_key ?? 'not listed'],
];

function ProofLine({ proof }: { readonly proof: Proof }) {
  return (
    <Facts
      className={`${packetStyles['digests'] ?? ''} ${styles['proof'] ?? ''}`}
      facts={LINES.map(([name, of]) => [name, <code>{of(proof)}</code>])}
    />
  );
}

function PacketJson({ shared: { packet, proof } }: { readonly shared: SharedPacket }) {
  const { signature, ...line } = proof;
  const kept = JSON.stringify({
    packet,
    ...line,
    signature: signature?.signature ?? null,
    signing_key_id: signature?.signing_key_id ?? null,
  });
  return (
    <details>
      <summary>The whole packet as JSON: {whole(kept.length)} characters</summary>
      <p className={sheet['actions']}>
        <CopyButton text={kept} label="Copy" />
        <span className={sheet['soft']}>
          Save it, and <a href="/verify">/verify</a> can verify it at any time.
        </span>
      </p>
      <pre className={styles['json']} tabIndex={0}>
        {JSON.stringify(packet, null, 1)}
      </pre>
    </details>
  );
}

type WholePacket = NonNullable<SharedPacket['packet']>;

const NO_FEATURES: ReadonlySet<string> = new Set();

export default function SharePage() {
  const { share_id: shareId = '' } = useParams<{ share_id: string }>();
  const shared = useRead(['share', shareId], (options) => service.demo.sharedPacket({ share_id: shareId }, options), {
    staleTime: Infinity,
  });
  return (
    <Loaded query={shared} rows={10} label="Loading the packet">
      {(data) => (
        <article className={packetStyles['page']}>
          <SourceRibbon states={[data.meta.response_semantics.response_state]} />
          {data.packet === null ? <Ended shared={data} /> : <Shown shared={data} packet={data.packet} />}
        </article>
      )}
    </Loaded>
  );
}

function Shown({ shared, packet }: { readonly shared: SharedPacket; readonly packet: WholePacket }) {
  return (
    <>
      <PacketHead packet={packet} adjacentPackets={null} />
      <p className={sheet['note']}>
        One packet, shared by link until {clock(shared.expires_at_utc)}. It describes a past market and is not a signal, advice or an order.
        Its proof stays at this address afterwards.
      </p>
      <div className={packetStyles['columns']}>
        <div className={packetStyles['column']}>
          <Sentences packet={packet} listed={NO_FEATURES} />
        </div>
        <div className={packetStyles['column']}>
          <ProofChecks shared={shared} />
          <section>
            <h2>Drivers, against watch and elevated thresholds</h2>
            <Drivers trace={packet.state_decision_trace} />
          </section>
        </div>
        <div className={packetStyles['full']}>
          <Lanes lanes={packet.compute_lanes} />
        </div>
        <section className={packetStyles['full']}>
          <h2>Proof</h2>
          <ProofLine proof={shared.proof} />
          <PacketJson shared={shared} />
        </section>
      </div>
    </>
  );
}

const TITLES: Readonly<Record<Exclude<SharedPacket['share_state'], 'active'>, string>> = {
  expired: 'This packet is no longer shown',
  revoked: 'This packet is no longer shown',
  withheld: 'This packet is currently hidden',
};

function Ended({ shared }: { readonly shared: SharedPacket }) {
  return (
    <>
      <div className={sheet['bar']}>
        <h1>{shared.share_state === 'active' ? '' : TITLES[shared.share_state]}</h1>
      </div>
      <p className={sheet['note']}>{whyWords(shared)}</p>
      <div className={packetStyles['columns']}>
        <section className={packetStyles['full']}>
          <h2>Proof</h2>
          <p>
            Anyone who saved the packet can still prove that it is this one: its digest must match the one below, and the key must have
            signed that digest. <a href="/verify">Verify a packet you have</a>.
          </p>
          <ProofLine proof={shared.proof} />
        </section>
        <div className={packetStyles['full']}>
          <ProofChecks shared={shared} />
        </div>
      </div>
    </>
  );
}

function whyWords(shared: SharedPacket): string {
  const { share_state: state, ended_at_utc: ended } = shared;
  const market = marketWords(marketNamed(shared).symbol);
  const when = ended === null ? '' : clock(ended);
  switch (state) {
    case 'expired':
      return `A packet of ${market} was shared here until ${when}. The link has expired; the proof remains.`;
    case 'revoked':
      return `A packet of ${market} was shared here. Its owner revoked the link at ${when}; the proof remains.`;
    default:
      return `A packet of ${market} is shared here but currently hidden by this installation; the proof remains.`;
  }
}
