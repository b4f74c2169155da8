import { differencesOf, episodeFaults } from '../src/alerts/differences';
import { type Compared, verifyAlerts } from '../src/alerts/alert-suite';
import type { Outcome, ToldMessage } from '../src/alerts/outcome';
import { rehearsalDifferences } from '../src/alerts/rehearsal';
import { expectPassed } from './expect-passed';

let compared: Compared;

it('tells once what one unbroken pass tells, and what the rehearsal says, while two evaluators are killed', async () => {
  const run = async (context: Parameters<typeof verifyAlerts>[0]): Promise<void> => {
    compared = await verifyAlerts(context);
  };
  const { figures } = await expectPassed({ run }, { seed: 20_261_124, budget: 3 });
  console.info(figures.map((figure) => figure.join(': ')).join('\n'));
});

/** The last message of an alert, and where it is. */
function lastAlert({ messages }: Outcome): { readonly at: number; readonly message: ToldMessage } {
  const at = messages.findLastIndex(({ event_kind: kind }) => kind === 'alert.triggered');
  const message = messages[at];
  if (message === undefined) throw new Error('No alert was told.');
  return { at, message };
}

const comparison = ({ unbroken, rehearsed }: Compared, found: Outcome): readonly number[] => [
  differencesOf(unbroken, found).length,
  episodeFaults(found).length,
  rehearsalDifferences(found, rehearsed).length,
];

it('notices a message that is dropped', () => {
  const found = { ...compared.disturbed, messages: compared.disturbed.messages.toSpliced(lastAlert(compared.disturbed).at, 1) };
  expect(comparison(compared, found)).toEqual([2, 0, 2]);
  expect(differencesOf(compared.unbroken, found)[0]).toMatch(/^Lost: ten_\d\d: alert rul_/);
});

it('notices a message that is told twice, under another id too', () => {
  const { disturbed, unbroken } = compared;
  const { at, message } = lastAlert(disturbed);
  const again = { ...message, message_id: 'msg_again', position: message.position + 1 };
  const found = { ...disturbed, messages: disturbed.messages.toSpliced(at + 1, 0, again) };
  expect(comparison(compared, found)).toEqual([2, 2, 2]);
  expect(differencesOf(unbroken, found)[0]).toMatch(/^Told twice: ten_\d\d: alert rul_/);
  const ofOtherOccasion = {
    ...disturbed,
    messages: disturbed.messages.toSpliced(at + 1, 0, { ...again, occasion: `${again.occasion} again` }),
  };
  expect(comparison(compared, ofOtherOccasion)).toEqual([2, 2, 2]);
});

it('notices another body, another order, a delivery that is missing and inputs that are', () => {
  const { disturbed } = compared;
  const { at, message } = lastAlert(disturbed);
  const otherwise = (other: Partial<ToldMessage>): Outcome => ({
    ...disturbed,
    messages: disturbed.messages.with(at, { ...message, ...other }),
  });
  expect(comparison(compared, otherwise({ data: message.data.replace('"late":false', '"late":true') }))).toEqual([1, 0, 0]);
  expect(comparison(compared, otherwise({ sent: '' }))).toEqual([message.sent === '' ? 0 : 1, 0, 0]);
  expect(comparison(compared, { ...disturbed, messages: disturbed.messages.toReversed() })[0]).toBeGreaterThan(0);
  expect(comparison(compared, { ...disturbed, rest: disturbed.rest.slice(1) })).toEqual([1, 0, 0]);
});

it('notices a standing that is another', () => {
  const { disturbed } = compared;
  const [standing] = disturbed.standings;
  if (standing === undefined) throw new Error('No rule stands anywhere.');
  const state = standing.state.replace(/"state":"\w+"/, '"state":"pending"');
  expect(state).not.toBe(standing.state);
  const found = { ...disturbed, standings: disturbed.standings.with(0, { ...standing, state }) };
  expect(comparison(compared, found)).toEqual([1, 0, 1]);
  expect(comparison(compared, { ...disturbed, standings: disturbed.standings.slice(1) })[0]).toBe(1);
});
