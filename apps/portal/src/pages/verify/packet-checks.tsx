import { checkPacket, type PacketCheck, type PacketRow, type PublicKey } from '@market-state/client/verify';
import { counted } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { StateMark } from '../../figures/state-mark';
import { clock } from '../../time/clock';
import packetStyles from '../packet/packet.module.css';
import { bodyWords, CheckLine, makerWords } from '../packet/verify-panel';

interface PacketChecksProps {
  readonly rows: readonly PacketRow[];
  readonly loadKeys: (signal: AbortSignal) => Promise<readonly PublicKey[]>;
  readonly isOwnKey: boolean;
}

/** Body and maker of each packet; of many, the first that does not hold is named. */
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
  if (brokenTotal === 0) return total === 1 ? 'Nothing in it is wrong' : `Nothing is wrong in ${counted(total, 'packet')}`;
  return total === 1 ? 'It does not hold' : `${counted(brokenTotal, 'packet')} of ${total.toLocaleString('en-US')} do not hold`;
}

/** What a packet says of itself. */
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
        {isFirstFault ? 'The first that does not hold: ' : ''}
        <StateMark state={state} /> {label}, {symbol}
        {Number.isNaN(endMs) ? '' : `, window to ${clock(endMs)}`}
      </p>
      <dl>
        <CheckLine
          name="Body"
          answer={check.body === null ? { mark: 'open', words: 'no digest beside it to compare with' } : bodyWords(check)}
          detail={`SHA-256 of the packet as RFC 8785 JSON, computed in this browser: ${check.packetDigest}`}
        />
        <CheckLine
          name="Ids"
          answer={check.id ? { mark: 'yes', words: 'follow from its content' } : { mark: 'no', words: 'do not follow from its content' }}
          detail="Of packet and event: from symbol, window and digests."
        />
        <CheckLine
          name="Maker"
          answer={makerWords(check)}
          detail={`Ed25519 signature over the digest by ${row.signing_key_id ?? 'no key'}, checked against ${
            isOwnKey ? 'the keys that you gave' : 'the keys that this server publishes'
          }.`}
        />
        <CheckLine
          name="Derivation"
          answer={{ mark: 'open', words: 'not checked: it takes the log' }}
          detail="Give the bundle of the event in its place: the log entries and the checkpoint before them are in it."
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
