import { whole } from '../../market/numbers';
import { Facts } from '../../controls/facts';
import type { Data } from '@market-state/client';
import { checkPacket, type PacketCheck } from '@market-state/client/verify';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ProblemNotice } from '../../status-components/conditions';
import { SpendButton } from '../../controls/buttons';
import { read, service } from '../../service/client';
import type { Workbench } from './packet-queries';
import styles from './packet.module.css';

export function VerifyPanel({ workbench: { packet, packet_ref: ref, event_id: eventId } }: { readonly workbench: Workbench }) {
  const check = useQuery({
    queryKey: ['check', eventId],
    queryFn: async ({ signal }) => {
      const keys = await read(service.signingKeys.get({ signal }));
      return checkPacket({ packet, ...ref }, keys);
    },
    staleTime: Infinity,
  });
  const derivation = useMutation({ mutationFn: () => read(service.events.verify({ event_id: eventId })) });
  return (
    <section className={styles['verify']} aria-label="Verification">
      <h2>Verification</h2>
      <dl>
        <CheckLine
          name="Body"
          answer={bodyWords(check.data)}
          detail={`SHA-256 of the packet as RFC 8785 JSON, computed in this browser: ${check.data?.packetDigest ?? '…'}`}
        />
        <CheckLine
          name="Maker"
          answer={makerWords(check.data)}
          detail={`Ed25519 signature over the digest by ${ref.signing_key_id ?? 'no key'}, checked in this browser against the published key.`}
        />
        <CheckLine
          name="Derivation"
          answer={derivationWords(derivation.data)}
          detail="Recomputed from the recorded rows by the service and compared byte for byte."
        />
      </dl>
      <ProblemNotice error={check.error} retry={() => void check.refetch()} />
      <ProblemNotice error={derivation.error} retry={() => derivation.mutate()} />
      {derivation.data === undefined ? (
        <SpendButton
          action="Recompute on server"
          busy="Recomputing…"
          creditsAtMost={service.creditsAtMost('verifyEvent', { event_id: eventId })}
          isBusy={derivation.isPending}
          onPress={() => derivation.mutate()}
        />
      ) : (
        <p className={styles['soft']}>
          {derivation.data.source.detail} {derivation.data.rows_read === null ? '' : `${whole(derivation.data.rows_read)} rows read.`}
        </p>
      )}
      <details>
        <summary>Digests</summary>
        <Facts className={styles['digests']} facts={DIGESTS.map(([name, of]) => [name, <code>{of(packet, ref)}</code>])} />
      </details>
    </section>
  );
}

const DIGESTS: readonly (readonly [name: string, of: (packet: Workbench['packet'], ref: Workbench['packet_ref']) => string | undefined])[] =
  [
    ['event', (packet) => packet.event_id],
    ['packet digest', (_packet, ref) => ref.packet_digest],
    ['lineage digest', (_packet, ref) => ref.lineage_digest],
    ['lineage before', (packet) => packet.previous_lineage_digest],
    ['inputs', (packet) => packet.input_digest],
    ['policy', (packet) => packet.policy_digest],
  ];

export interface Line {
  readonly mark: 'yes' | 'no' | 'open';
  readonly words: string;
}

const COMPUTING: Line = { mark: 'open', words: 'checking' };

export function bodyWords(check: PacketCheck | undefined): Line {
  if (check === undefined) return COMPUTING;
  if (check.body === null) return { mark: 'open', words: 'no digest to compare with' };
  return check.body && check.id ? { mark: 'yes', words: 'unchanged: digest and ids match' } : { mark: 'no', words: check.faults.join(' ') };
}

export function makerWords(check: Pick<PacketCheck, 'signature' | 'keyValidity'> | undefined): Line {
  if (check === undefined) return COMPUTING;
  if (check.signature === null) return { mark: 'open', words: 'not signed' };
  if (!check.signature) return { mark: 'no', words: 'the signature does not match this packet' };
  return check.keyValidity === false
    ? { mark: 'no', words: 'the key was not valid at the time' }
    : { mark: 'yes', words: 'signed with a published key valid at the time' };
}

function derivationWords(answer: Data<'verifyEvent'> | undefined): Line {
  if (answer === undefined) return { mark: 'open', words: 'not requested yet' };
  if (answer.match === null) return { mark: 'open', words: 'cannot be recomputed' };
  return answer.match ? { mark: 'yes', words: 'identical bytes' } : { mark: 'no', words: 'bytes differ' };
}

const MARKS: Readonly<Record<Line['mark'], string>> = { yes: '✓', no: '✗', open: '·' };

export function CheckLine({ name, answer, detail }: { readonly name: string; readonly answer: Line; readonly detail: string }) {
  return (
    <div data-mark={answer.mark}>
      <dt>{name}</dt>
      <dd>
        <b aria-hidden="true">{MARKS[answer.mark]}</b> {answer.words}
        <span className={styles['soft']}>{detail}</span>
      </dd>
    </div>
  );
}
