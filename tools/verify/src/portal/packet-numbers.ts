import type { Page } from 'playwright-core';
import { firstOf, type SuiteContext } from '../harness';
import { type PortalScene, storedPackets, visiting } from './scene';

const PACKETS = 200;
const LOOKED_AT = 10;
const SHOWN_MAX = 10;
/** Times, digests, ids and names of standards are not values. */
const NO_FIGURES = [
  /SHA-256|RFC 8785/g,
  /\d{4}-\d\d-\d\d/g,
  /\d\d:\d\d(:\d\d(\.\d+)?)?/g,
  /\b[0-9a-f]{12,}\b/g,
  /\w*_\w+/g,
  /\b[a-z]+\d+\w*/gi,
  /\bv?\d+\.\d+\.\d+\b/g,
];
const FIGURE = /\d[\d,]*(?:\.\d+)?/g;

/** Tables of values that the page computes from answers. */
const COMPUTED = ['Recomputed in your browser', 'Smallest change of each composite'];

/** Every value in the tables and facts of packet pages must occur in a service answer, rounded as shown. */
export async function verifyPacketNumbers({ report, say }: SuiteContext, scene: PortalScene): Promise<void> {
  const packets = await storedPackets(scene, PACKETS);
  const step = Math.max(1, Math.floor(packets.length / LOOKED_AT));
  let figures = 0;
  for (const { event_id: eventId } of packets.filter((_each, at) => at % step === 0)) {
    await visiting(scene, { path: '/login' }, async (page) => {
      const answers: unknown[] = [];
      page.on('response', (answer) => {
        if (/\/workbench|\/evidence/.test(answer.url()))
          void answer.json().then(
            (body) => answers.push(body),
            () => undefined,
          );
      });
      await page.goto(`/packet/${eventId}`);
      await page.getByText('signed with a published key valid at the time').waitFor();
      const known = numbersIn(answers);
      const shown = await figuresOf(page);
      figures += shown.length;
      const strange = shown.filter(({ text }) => !isKnown(text, known));
      report.fail(
        ...firstOf(
          strange.map(({ text, place }) => `${eventId}: ${text} in "${place}" is in no answer.`),
          SHOWN_MAX,
        ),
      );
    });
    say(`${eventId}: values compared`);
  }
  report.check(figures > 0, 'No value was compared.');
  report.figure('values on packet pages, each in a service answer', figures);
}

interface Figure {
  readonly text: string;
  readonly place: string;
}

async function figuresOf(page: Page): Promise<readonly Figure[]> {
  const cells = await page
    .getByRole('main')
    .locator('td, dd')
    .evaluateAll(
      (all, labels) =>
        all.filter((cell) => !labels.some((label) => cell.closest(`[aria-label="${label}"]`))).map((cell) => cell.textContent ?? ''),
      COMPUTED,
    );
  return cells.flatMap((cell) => {
    const text = NO_FIGURES.reduce((left, pattern) => left.replaceAll(pattern, ' '), cell);
    return [...text.matchAll(FIGURE)].map(([figure]) => ({ text: figure, place: cell }));
  });
}

/** Every number of the answers, numeric or decimal text, without its sign. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [Math.abs(value)];
  if (typeof value === 'string') return [...value.matchAll(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi)].map(([text]) => Number(text));
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(numbersIn);
}

const SCALES = [1, 100, 0.001];

function isKnown(text: string, known: readonly number[]): boolean {
  const digits = text.replaceAll(',', '');
  const decimals = digits.split('.')[1]?.length ?? 0;
  return known.some((number) => SCALES.some((scale) => Math.abs(number * scale - Number(digits)) <= 0.500_001 * 10 ** -decimals));
}
