import { checkPacket, checkSignature } from '@market-state/client/verify';
import { useQuery } from '@tanstack/react-query';
import { ProblemNotice } from '../../conditions/problem-notice';
import { read, service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import packetStyles from '../packet/packet.module.css';
import { bodyWords, CheckLine, makerWords } from '../packet/verify-panel';
import type { SharedPacket } from './shared-packet';

const NO_BODY = { mark: 'open', words: 'not checked: the packet is not shown' } as const;
const NO_DERIVATION = { mark: 'open', words: 'not checked here: it takes the rows' } as const;

/** Whether the packet is what it says it is, checked by the reader's browser against the published keys. */
export function ProofChecks({ shared }: { readonly shared: SharedPacket }) {
  const { packet, proof } = shared;
  const signed = {
    signature: proof.signature?.signature ?? null,
    signing_key_id: proof.signature?.signing_key_id ?? null,
    packet_generated_at_utc: proof.packet_generated_at_utc,
  };
  const keys = useQuery({
    queryKey: ['signing keys'],
    queryFn: ({ signal }) => read(service.signingKeys.get({ signal })),
    staleTime: Infinity,
  });
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
      <h2>Is it true?</h2>
      <dl>
        <CheckLine name="Body" answer={body.data === null ? NO_BODY : bodyWords(body.data)} detail={bodyDetail(body.data?.packetDigest)} />
        <CheckLine
          name="Maker"
          answer={makerWords(packet === null ? maker.data : (body.data ?? undefined))}
          detail={`Ed25519 signature over the digest by ${signed.signing_key_id ?? 'no key'}, checked in this browser against the published key.`}
        />
        <CheckLine name="Derivation" answer={NO_DERIVATION} detail="The packet made again from the recorded rows, byte for byte." />
      </dl>
      <p className={sheet['soft']}>
        To derive it again: with a key, <code>npx market-state verify --event {proof.event_id}</code> does it on your machine; or{' '}
        <a href="/verify">give its bundle to this browser</a>. This page&apos;s script and the list of keys are this server&apos;s; the
        command does without the script.
      </p>
      {fault === null ? null : <ProblemNotice error={fault} retry={() => void keys.refetch()} />}
    </section>
  );
}

function bodyDetail(computed: string | undefined): string {
  const how = 'SHA-256 of the packet as RFC 8785 JSON, computed in this browser';
  return computed === undefined ? `${how}.` : `${how}: ${computed}`;
}
