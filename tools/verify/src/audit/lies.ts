import { sumOf } from '@market-state/testing';
import type { Report } from '../harness';
import type { AuditScene, Difference } from './audit-scene';

const MINUTE_MS = 60_000;

/** What each measure must be found to differ in, and by how much: three ticks of a trade, one of a book. */
const LIES = [
  { measure: 'candles', fields: ['open', 'high', 'low', 'close'], apart: '0.3' },
  { measure: 'book', fields: ['bid_price', 'ask_price'], apart: '0.1' },
  { measure: 'funding_rate', fields: ['funding_rate'], apart: undefined },
] as const;

/**
 * The venue tells wrong trades for a minute, a book off by a tick and late funding for minutes; run by run of the audit: honest, lying,
 * honest again.
 */
export async function verifyLies(scene: AuditScene, startMs: number, report: Report): Promise<void> {
  const at = (minute: number): Promise<void> => scene.advanceTo(startMs + minute * MINUTE_MS);
  await at(5);
  await scene.audit();
  report.check((await scene.differences()).length === 0, 'A difference was found before the venue lied.');

  await at(6);
  scene.misbehave({ fault: 'wrong_price', channel: 'trade', ticks: 3, duration_ms: MINUTE_MS });
  scene.misbehave({ fault: 'wrong_price', channel: 'book', ticks: 1, duration_ms: 200_000 });
  scene.misbehave({ fault: 'late_funding', duration_ms: 200_000 });
  await at(8.5);
  const lyingMs = scene.nowMs;
  await scene.audit();
  for (const lie of LIES) checkOpen(await scene.differences(), lie, lyingMs, report);
  report.check(
    (await scene.differences()).every(({ measure }) => measure !== 'mark_price'),
    'The mark price differs, which was told as it is.',
  );

  await at(12.5);
  const honestMs = scene.nowMs;
  await scene.audit();
  const closed = await scene.differences();
  report.check(closed.length === LIES.length, `${closed.length} differences were found of ${LIES.length} lies.`);
  for (const { measure, closedMs, runTotal } of closed)
    report.check(closedMs === honestMs && runTotal === 1, `The difference of ${measure} was not closed by the run after the lie.`);
  report.figure('lies found and closed', closed.length);
  report.figure('values compared', sumOf((await scene.days()).map(({ comparedTotal }) => comparedTotal)));
}

function checkOpen(differences: readonly Difference[], lie: (typeof LIES)[number], runMs: number, report: Report): void {
  const found = differences.find(({ measure }) => measure === lie.measure);
  const largest = found?.largest;
  report.check(
    found?.openedMs === runMs && found.closedMs === 0 && lie.fields.some((field) => field === largest?.field),
    `The lie about ${lie.measure} was not found by the next run: ${JSON.stringify(found)}`,
  );
  if (lie.apart !== undefined)
    report.check(largest?.apart === lie.apart, `${lie.measure} is said to be off by ${largest?.apart}, not ${lie.apart}.`);
}
