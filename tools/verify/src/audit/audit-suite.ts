import { scenarioNames, type VenueScenario } from '@market-state/scenarios';
import { sumOf, withCloser } from '@market-state/testing';
import type { Suite, Report } from '../harness';
import { openAuditScene } from './audit-scene';
import { verifyLies } from './lies';

/** 2026-01-05T00:00:00Z. */
const START_MS = 1_767_571_200_000;
const MINUTE_MS = 60_000;
const EVERY_MS = 10 * MINUTE_MS;
/** Scenarios that a venue cannot play: they are of a log alone. */
const OF_A_LOG = ['recording_seam', 'feed_down'];
/** A venue that says nothing yet: there is nothing to compare. */
const SILENT = 'cold_start';

/** What is recorded is held against the venue: every lie is found by the next run, and of an honest venue nothing differs. */
export const auditSuite: Suite = {
  id: 'audit',
  claim: 'the audit finds each lie of a venue in its next run and closes it in the one after; of an honest venue no value differs',
  budget: { default: 24, counts: 'hours of an honest venue over the scenario library' },
  /** The lies alone. */
  short: { seed: 1, budget: 0 },
  async run({ report, seed, random, budget, say }) {
    await withCloser(async (closer) => {
      const scene = await openAuditScene(closer, { scenario: 'demo', seed, startMs: START_MS, random });
      await verifyLies(scene, START_MS, report);
    });
    const names = scenarioNames.map(({ name }) => name).filter((name): name is VenueScenario => !OF_A_LOG.includes(name));
    const lengthMs = Math.ceil((budget * 60) / names.length) * MINUTE_MS;
    const totals = { hours: 0, runs: 0, compared: 0, notCompared: 0 };
    for (const scenario of budget === 0 ? [] : names) {
      await withCloser(async (closer) => {
        const scene = await openAuditScene(closer, { scenario, seed, startMs: START_MS, random });
        for (let atMs = START_MS + EVERY_MS / 2; atMs <= START_MS + lengthMs; atMs += EVERY_MS) {
          await scene.advanceTo(atMs);
          await scene.audit();
        }
        const days = await scene.days();
        const compared = sumOf(days.map(({ comparedTotal }) => comparedTotal));
        checkHonest(scenario, compared, await scene.differences(), report);
        totals.hours += lengthMs / (60 * MINUTE_MS);
        totals.runs += Math.max(...days.map(({ runTotal }) => runTotal));
        totals.compared += compared;
        totals.notCompared += sumOf(days.map(({ notComparedTotal }) => notComparedTotal));
        say(
          `${scenario}: ${compared} values compared, ${[...new Set(days.flatMap(({ reasons }) => reasons))].join(', ') || 'none left out'}`,
        );
      });
    }
    if (budget === 0) return;
    report.figure('hours of an honest venue', Math.round(totals.hours * 10) / 10);
    report.figure('runs', totals.runs);
    report.figure('values compared, all equal', totals.compared);
    report.figure('values not compared', totals.notCompared);
  },
};

function checkHonest(scenario: string, compared: number, differences: readonly object[], report: Report): void {
  report.check(compared > 0 || scenario === SILENT, `Nothing of ${scenario} was compared.`);
  report.check(differences.length === 0, `Of ${scenario}, told as it is, something differs: ${JSON.stringify(differences[0])}`);
}
