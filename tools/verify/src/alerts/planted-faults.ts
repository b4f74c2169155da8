import type { webhook } from '@market-state/contracts';
import type { Report } from '../harness';
import { differencesOf, episodeFaults } from './differences';
import type { Outcome, ToldMessage } from './outcome';
import { rehearsalDifferences } from './rehearsal';

/** What was compared. */
export interface Compared {
  readonly unbroken: Outcome;
  readonly disturbed: Outcome;
  readonly rehearsed: readonly webhook.RehearsedRule[];
}

/** How many differences each comparison finds: with the unbroken pass, within episodes, with the rehearsal. */
type Found = readonly [unbroken: number, episodes: number, rehearsal: number];

/** Plants one fault after the other in an outcome that has none: the comparisons must report each. */
export function plantFaults({ unbroken, disturbed, rehearsed }: Compared, report: Report): void {
  const at = disturbed.messages.findLastIndex(({ event_kind: kind }) => kind === 'alert.triggered');
  const message = disturbed.messages[at];
  const [standing] = disturbed.standings;
  if (message === undefined || standing === undefined) throw new Error('No alert was sent, or no rule has a state.');
  const again = { ...message, message_id: 'msg_again', position: message.position + 1 };
  const changed = (change: Partial<ToldMessage>): Outcome => ({
    ...disturbed,
    messages: disturbed.messages.with(at, { ...message, ...change }),
  });
  const inserted = (extra: ToldMessage): Outcome => ({ ...disturbed, messages: disturbed.messages.toSpliced(at + 1, 0, extra) });
  const state = standing.state.replace(/"state":"\w+"/, '"state":"pending"');
  const planted: readonly (readonly [what: string, outcome: Outcome, expected: (found: Found) => boolean, first?: RegExp])[] = [
    ['a dropped message', { ...disturbed, messages: disturbed.messages.toSpliced(at, 1) }, equalTo(2, 0, 2), /^Lost: ten_\d\d: alert rul_/],
    ['a message sent twice', inserted(again), equalTo(2, 2, 2), /^Told twice: ten_\d\d: alert rul_/],
    ['a message sent twice under another id', inserted({ ...again, occasion: `${again.occasion} again` }), equalTo(2, 2, 2)],
    ['another body', changed({ data: message.data.replace('"late":false', '"late":true') }), equalTo(1, 0, 0)],
    ['a missing delivery', changed({ sent: '' }), equalTo(message.sent === '' ? 0 : 1, 0, 0)],
    ['another order', { ...disturbed, messages: disturbed.messages.toReversed() }, ([found]) => found > 0],
    ['missing inputs', { ...disturbed, rest: disturbed.rest.slice(1) }, equalTo(1, 0, 0)],
    ['another state', { ...disturbed, standings: disturbed.standings.with(0, { ...standing, state }) }, equalTo(1, 0, 1)],
    ['a missing state', { ...disturbed, standings: disturbed.standings.slice(1) }, ([found]) => found === 1],
  ];
  for (const [what, outcome, isExpected, first = /^/] of planted) {
    const differences = differencesOf(unbroken, outcome);
    const found: Found = [differences.length, episodeFaults(outcome).length, rehearsalDifferences(outcome, rehearsed).length];
    report.check(
      isExpected(found) && first.test(differences[0] ?? ''),
      `The comparisons did not report ${what} as they must: they found ${found.join(', ')} differences, first ${differences[0] ?? 'none'}`,
    );
  }
  report.figure('planted faults', planted.length);
}

function equalTo(...expected: Found): (found: Found) => boolean {
  return (found) => found.every((total, at) => total === expected[at]);
}
