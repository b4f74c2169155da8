import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { Drivers } from '../../packets/drivers';
import { read, service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { clock } from '../../time/clock';
import { Lanes } from '../../market/lanes';
import { PacketHead } from '../packet/packet-head';
import packetStyles from '../packet/packet.module.css';
import { Sentences } from '../packet/sentences';
import { PacketJson } from './packet-json';
import { ProofChecks } from './proof-checks';
import { ProofLine } from './proof-line';
import type { SharedPacket } from './shared-packet';

type WholePacket = NonNullable<SharedPacket['packet']>;

const NO_FEATURES: ReadonlySet<string> = new Set();

export default function SharePage() {
  const { share_id: shareId = '' } = useParams<{ share_id: string }>();
  const shared = useQuery({
    queryKey: ['share', shareId],
    queryFn: ({ signal }) => read(service.demo.sharedPacket({ share_id: shareId }, { signal })),
    staleTime: Infinity,
  });
  if (shared.error !== null) return <ProblemNotice error={shared.error} retry={() => void shared.refetch()} />;
  if (shared.data === undefined) return <Outline rows={10} label="Loading the packet" />;
  const { data } = shared;
  return (
    <article className={packetStyles['page']}>
      <SourceRibbon states={[data.meta.response_semantics.response_state]} />
      {data.packet === null ? <Ended shared={data} /> : <Shown shared={data} packet={data.packet} />}
    </article>
  );
}

function Shown({ shared, packet }: { readonly shared: SharedPacket; readonly packet: WholePacket }) {
  return (
    <>
      <PacketHead workbench={{ packet, symbol: shared.symbol }} neighbours={null} />
      <p className={sheet['note']}>
        One packet, shared by a link until {clock(Date.parse(shared.expires_at_utc))}. It is context about a market that was, and no signal,
        advice or order. What proves it stays at this address afterwards.
      </p>
      <div className={packetStyles['columns']}>
        <div className={packetStyles['column']}>
          <Sentences packet={packet} listed={NO_FEATURES} />
        </div>
        <div className={packetStyles['column']}>
          <ProofChecks shared={shared} />
          <section>
            <h2>Drivers, against watch and elevated</h2>
            <Drivers trace={packet.state_decision_trace} />
          </section>
        </div>
        <div className={packetStyles['full']}>
          <Lanes lanes={packet.compute_lanes} />
        </div>
        <section className={packetStyles['full']}>
          <h2>What proves it</h2>
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
  withheld: 'This packet is not shown now',
};

/** Where the packet is not shown: why, and what proves it to whoever kept it. */
function Ended({ shared }: { readonly shared: SharedPacket }) {
  return (
    <>
      <div className={sheet['bar']}>
        <h1>{shared.share_state === 'active' ? '' : TITLES[shared.share_state]}</h1>
      </div>
      <p className={sheet['note']}>{whyWords(shared)}</p>
      <div className={packetStyles['columns']}>
        <section className={packetStyles['full']}>
          <h2>Its proof line</h2>
          <p>
            Whoever kept the packet can still show that it is this one: its digest must be the one below, and the key must have signed that
            digest. <a href="/verify">Check a packet that you have</a>.
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

function whyWords({ share_state: state, ended_at_utc: ended, symbol }: SharedPacket): string {
  const when = ended === null ? '' : clock(Date.parse(ended));
  switch (state) {
    case 'expired':
      return `A packet of ${symbol} was shared here until ${when}. Its time is over; what proves it stays.`;
    case 'revoked':
      return `A packet of ${symbol} was shared here. Whoever shared it ended that at ${when}; what proves it stays.`;
    default:
      return `A packet of ${symbol} is shared here, and this installation does not show it now; what proves it stays.`;
  }
}
