import { clock, clockSpan } from '../../time/clock';
import packetStyles from '../packet/packet.module.css';
import type { SharedPacket } from './shared-packet';
import styles from './share.module.css';

type Proof = SharedPacket['proof'];

const LINES: readonly (readonly [name: string, of: (proof: Proof) => string])[] = [
  ['event', ({ event_id: id }) => id],
  ['packet', ({ packet_id: id }) => id],
  ['symbol', ({ symbol }) => symbol],
  ['window', ({ window_start_utc: start, window_end_utc: end }) => clockSpan(Date.parse(start), Date.parse(end))],
  ['made', ({ packet_generated_at_utc: at }) => clock(Date.parse(at))],
  ['packet digest', ({ packet_digest: digest }) => digest],
  ['lineage digest', ({ lineage_digest: digest }) => digest],
  ['inputs', ({ input_digest: digest }) => digest],
  ['policy', ({ policy_digest: digest }) => digest],
  ['signature', ({ signature }) => signature?.signature ?? 'not signed'],
  ['signing key', ({ signature }) => signature?.signing_key_id ?? 'not signed'],
  ['public key', ({ signature }) => signature?.public_key ?? 'not listed'],
];

/** What proves a packet, line by line. */
export function ProofLine({ proof }: { readonly proof: Proof }) {
  return (
    <dl className={`${packetStyles['digests'] ?? ''} ${styles['proof'] ?? ''}`}>
      {LINES.map(([name, of]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{of(proof)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
