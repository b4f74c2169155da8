import { checkPacket, type PacketCheck, type PacketRow, type PublicKey } from '@market-state/client/verify';
import { counted } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { StateMark } from '../../charts/state-mark';
import { clock } from '../../time/clock';
import packetStyles from '../packet/packet.module.css';
import { bodyWords, CheckLine, makerWords } from '../packet/verify-panel';

interface PacketChecksProps {
  readonly rows: readonly PacketRow[];
  readonly loadKeys: (signal: AbortSignal) => Promise<readonly PublicKey[]>;
  readonly isOwnKey: boolean;
}

/** With many packets, names the first one that fails. */
export function PacketChecks({ rows, loadKeys, isOwnKey }: PacketChecksProps) {
  const id = useId();
  const { data, error, refetch } = useQuery({
    queryKey: ['verify', id],
    queryFn: async ({ signal }) => {
      const keys = await loadKeys(signal);
      return Promise.all(rows.map(async (row) => ({ row, check: await checkPacket(row, keys) })));
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Outline rows={4} label="Checking" />;
  const broken = data.filter(({ check }) => !check.ok);
  const shown = broken[0] ?? data[0];
  return (
    <section className={packetStyles['verify']} aria-label="Verification">
      <h2>{verdict(data.length, broken.length)}</h2>
      {shown === undefined ? null : <OnePacket {...shown} isFirstFault={broken.length > 0 && data.length > 1} isOwnKey={isOwnKey} />}
    </section>
  );
}

function verdict(total: number, brokenTotal: number): string {
  if (brokenTotal === 0) return total === 1 ? 'Verified' : `${counted(total, 'packet')} verified`;
  return total === 1 ? 'Verification failed' : `${counted(brokenTotal, 'packet')} of ${total.toLocaleString('en-US')} failed verification`;
}

/** Unverified claims of the packet. */
interface Stated {
  readonly symbol?: string;
  readonly ts?: string;
  readonly state?: string;
  readonly state_label?: string;
}

interface OnePacketProps {
  readonly row: PacketRow;
  readonly check: PacketCheck;
  readonly isFirstFault: boolean;
  readonly isOwnKey: boolean;
}

function OnePacket({ row, check, isFirstFault, isOwnKey }: OnePacketProps) {
  const { symbol = '', ts = '', state = '', state_label: label = state } = row.packet as Stated;
  const endMs = Date.parse(ts);
  return (
    <>
      <p>
        {isFirstFault ? 'First failure: ' : ''}
        <StateMark state={state} /> {label}, {symbol}
        {Number.isNaN(endMs) ? '' : `, window to ${clock(endMs)}`}
      </p>
      <dl>
        <CheckLine
          name="Body"
          answer={check.body === null ? { mark: 'open', words: 'no digest to compare with' } : bodyWords(check)}
          detail={`SHA-256 of the packet as RFC 8785 JSON, computed in this browser: ${check.packetDigest}`}
        />
        <CheckLine
          name="Ids"
          answer={check.id ? { mark: 'yes', words: 'match its content' } : { mark: 'no', words: 'do not match its content' }}
          detail="Packet and event ids are derived from symbol, window and digests."
        />
        <CheckLine
          name="Maker"
          answer={makerWords(check)}
          detail={`Ed25519 signature over the digest by ${row.signing_key_id ?? 'no key'}, checked against ${
            isOwnKey ? 'the keys you provided' : 'the keys this server publishes'
          }.`}
        />
        <CheckLine
          name="Derivation"
          answer={{ mark: 'open', words: 'not checked: it needs the log' }}
          detail="Load the bundle of the event instead: it contains the log entries and the checkpoint before them."
        />
      </dl>
      {check.faults.length === 0 ? null : (
        <ul role="alert">
          {check.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </>
  );
}
