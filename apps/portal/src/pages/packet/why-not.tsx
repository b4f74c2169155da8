import { useRead, read, service } from '../../service/client';
import { contestOf, type DecidedPacket, type DecisiveChange, type WhyNot, whyNot } from '@market-state/labeler/why-not';
import { words } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { ProblemNotice } from '../../status-components/conditions';
import { SpendButton } from '../../controls/buttons';
import { Scroll } from '../../controls/table';
import { COMPOSITE_NAMES, stateLabel } from '../../packets/words';
import type { AdjacentPacket } from './adjacent-packets';
import type { Packet, Workbench } from './packet-queries';
import styles from './packet.module.css';
import { compositeTitle, heldWords, publishedWords, signedWords } from './packet-words';

interface WhyNotProps {
  readonly workbench: Workbench;
  readonly adjacentPackets: readonly AdjacentPacket[];
}

/** The smallest changes that would have made the runner-up win, from the published formulas. */
export function WhyNotTheOther({ workbench: { packet }, adjacentPackets }: WhyNotProps) {
  const policy = useRead(['labeling-policy'], (options) => service.demo.labelingPolicy({}, options), { staleTime: Infinity });
  const previousId = adjacentPackets.find(({ offset }) => offset === -1)?.row.event_id;
  const previous = useMutation({ mutationFn: (eventId: string) => read(service.packets.workbench({ event_id: eventId })) });
  const before = previous.data?.packet;
  const numbers = policy.data?.policy_digest === packet.policy_digest ? policy.data?.files.numbers : undefined;
  const answer = useMemo(() => {
    if (numbers === undefined) return null;
    const rows = adjacentPackets.filter(({ offset }) => offset < 0).map(({ row }) => row);
    const known = { packet: before === undefined ? null : decided(before), contest: contestOf(rows) };
    return whyNot(decided(packet), known, numbers as Parameters<typeof whyNot>[2]);
  }, [numbers, packet, before, adjacentPackets]);
  return (
    <section aria-label="Why not the runner-up">
      <h2>Why not the runner-up?</h2>
      {publishedWords(packet) === '' ? null : <p>{publishedWords(packet)}</p>}
      {heldWords(packet).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <ProblemNotice error={policy.error} retry={() => void policy.refetch()} />
      {policy.data !== undefined && answer === null ? (
        <p className={styles['soft']}>
          This packet was made under a different policy from the one that the service publishes now, so its decision can't be recomputed
          here.
        </p>
      ) : null}
      {answer === null ? null : <Answer answer={answer} />}
      {answer !== null && answer.undecided.length > 0 && previousId !== undefined ? (
        <p className={styles['soft']}>
          For {answer.undecided.map(compositeTitle).join(' and ')} the answer depends on whether it was held in the previous packet.{' '}
          <SpendButton
            action="Load the previous packet"
            busy="Loading…"
            creditsAtMost={service.creditsAtMost('getPacketWorkbench', { event_id: previousId })}
            isBusy={previous.isPending}
            onPress={() => previous.mutate(previousId)}
          />
        </p>
      ) : null}
      <ProblemNotice error={previous.error} />
      <p className={styles['soft']}>
        This is arithmetic on the published formulas with everything else unchanged. It shows how close the other label was, not what the
        market would have had to do. <Link href={`/lab?event=${packet.event_id}`}>Try other policy numbers</Link>.
      </p>
    </section>
  );
}

function decided(packet: Packet): DecidedPacket {
  return packet as unknown as DecidedPacket;
}

function Answer({ answer }: { readonly answer: WhyNot }) {
  const [smallest] = answer.changes;
  const other = <b>{stateLabel(answer.runnerUp)}</b>;
  if (answer.isSourceState)
    return (
      <p>
        {stateLabel(answer.winner)} reports what the sources lack. It wins regardless of the scores, so changing a score makes no
        difference.
      </p>
    );
  if (smallest === undefined)
    return (
      <p>
        No change to a single composite, anywhere in its range, would have made {other} the raw winner
        {answer.undecided.length === 0 ? '' : ', judging by this packet only'}. A state opens only when its composites have been held for
        several packets in a row.
      </p>
    );
  return (
    <>
      <p>
        {stateLabel(answer.winner)} won. The smallest change to a single composite that would have made {other} the raw winner:{' '}
        <b>
          {compositeTitle(smallest.composite).toLowerCase()} of {signedWords(smallest.composite, smallest.to)} instead of{' '}
          {signedWords(smallest.composite, smallest.from)}
        </b>
        .
      </p>
      <Scroll label="Smallest change of each composite">
        <table>
          <thead>
            <tr>
              <th scope="col">Composite</th>
              <th scope="col">Was</th>
              <th scope="col">Needed</th>
              <th scope="col">Published state then</th>
            </tr>
          </thead>
          <tbody>
            {COMPOSITE_NAMES.map(([name, title]) => (
              <Row
                key={name}
                title={title}
                answer={answer}
                change={answer.changes.find(({ composite }) => composite === name)}
                name={name}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

interface RowProps {
  readonly title: string;
  readonly name: DecisiveChange['composite'];
  readonly answer: WhyNot;
  readonly change: DecisiveChange | undefined;
}

function Row({ title, name, answer, change }: RowProps) {
  if (change === undefined)
    return (
      <tr>
        <th scope="row">{title}</th>
        <td colSpan={3} className={styles['soft']}>
          {answer.absent.includes(name)
            ? 'not reported, so it cannot change'
            : answer.undecided.includes(name)
              ? 'depends on the previous packet'
              : 'no value would be enough'}
        </td>
      </tr>
    );
  const { from, to, published } = change;
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{signedWords(name, from)}</td>
      <td>{signedWords(name, to)}</td>
      <td>{published === null ? 'unknown' : `${stateLabel(published.state)}, ${words(published.rule)}`}</td>
    </tr>
  );
}
