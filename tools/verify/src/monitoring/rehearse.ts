import { comesTrue, type System } from '@market-state/testing';
import { Client } from 'pg';
import type { SuiteContext } from '../harness';
import type { Prometheus, RaisedAlert } from './prometheus';
import type { Standby } from './standby';

/** Processes to freeze, in addition to locking the ledger and holding back the standby. */
const FROZEN = ['simulated-venue', 'labeling'];
const EXPECTED: readonly Readonly<Record<string, string>>[] = [
  { alertname: 'FeedSilent', symbol: 'SIMUSD-PERP' },
  { alertname: 'PacketsMissing', symbol: 'BTCUSD-PERP' },
  { alertname: 'ProcessDown', process: 'labeling' },
  { alertname: 'LeasesRefused', service: 'gateway' },
  { alertname: 'ErrorShareHigh' },
  { alertname: 'ReplicaBehind', application_name: 'standby' },
];
const FIRES_MS_MAX = 900_000;
const ENDS_MS_MAX = 900_000;
/** The next minute has ended and been scraped within this time. */
const HANDED_ON_MS_MAX = 120_000;
const LOOKS_EVERY_MS = 1_000;
const CONNECT_MS_MAX = 5_000;

function isOf(alert: RaisedAlert, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([name, value]) => alert.labels[name] === value);
}

function textOf(labels: Readonly<Record<string, string>>): string {
  const { alertname, ...others } = labels;
  return [alertname, ...Object.values(others)].join(' of ');
}

/** Blocks leases and charges in account until the returned function is called. */
async function lockLedger({ stores }: System): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: stores.ownerUrl('account'), connectionTimeoutMillis: CONNECT_MS_MAX });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE credit_hold IN ACCESS EXCLUSIVE MODE');
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}

/**
 * Freezes processes, locks the ledger and holds the standby back until every expected alert fires; then undoes it and
 * waits until they resolve.
 */
export async function rehearse(prometheus: Prometheus, system: System, standby: Standby, { report, say }: SuiteContext): Promise<void> {
  const fired = new Map<string, number>();
  const frozenMs = performance.now();
  let mostWaiting = 0;
  for (const name of FROZEN) system.processes.signal(name, 'SIGSTOP');
  const unlock = await lockLedger(system);
  try {
    await standby.fallBehind();
    say(`frozen: ${FROZEN.join(', ')}; the ledger is locked, the standby held back`);
    await comesTrue(
      async () => {
        const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing');
        for (const labels of EXPECTED) {
          const name = textOf(labels);
          if (fired.has(name) || !firing.some((alert) => isOf(alert, labels))) continue;
          fired.set(name, performance.now() - frozenMs);
          say(`${name} fires after ${seconds(performance.now() - frozenMs)}`);
        }
        return fired.size === EXPECTED.length;
      },
      { limitMs: FIRES_MS_MAX, everyMs: LOOKS_EVERY_MS },
    );
    mostWaiting = await waitingMinutes(prometheus);
  } finally {
    for (const name of FROZEN) system.processes.signal(name, 'SIGCONT');
    await unlock();
    await standby.catchUp();
  }
  for (const labels of EXPECTED) {
    const afterMs = fired.get(textOf(labels));
    report.check(afterMs !== undefined, `${textOf(labels)} did not fire in ${seconds(FIRES_MS_MAX)}.`);
    if (afterMs !== undefined) report.figure(`${textOf(labels)} fires after`, seconds(afterMs));
  }
  await expectEnd(prometheus, { report, say });
  await expectHandedOn(prometheus, mostWaiting, report);
}

async function waitingMinutes(prometheus: Prometheus): Promise<number> {
  const samples = await prometheus.query('max(gateway_figures_waiting_minutes{what="packets"})');
  return Number(samples[0]?.value[1] ?? 0);
}

async function expectHandedOn(prometheus: Prometheus, mostWaiting: number, report: SuiteContext['report']): Promise<void> {
  report.check(mostWaiting > 0, 'No minute of statistics was queued while labeling was frozen.');
  const isNone = async (): Promise<boolean> => (await waitingMinutes(prometheus)) === 0;
  const isOver = await comesTrue(isNone, { limitMs: HANDED_ON_MS_MAX, everyMs: LOOKS_EVERY_MS });
  report.check(isOver, `${await waitingMinutes(prometheus)} minutes of statistics are still queued.`);
  report.figure('minutes of statistics queued, all delivered', mostWaiting);
}

async function expectEnd(prometheus: Prometheus, { report, say }: Pick<SuiteContext, 'report' | 'say'>): Promise<void> {
  const thawedMs = performance.now();
  let left: readonly string[] = [];
  const isOver = async (): Promise<boolean> => {
    const raised = await prometheus.alerts();
    left = EXPECTED.filter((labels) => raised.some((alert) => alert.state === 'firing' && isOf(alert, labels))).map(textOf);
    return left.length === 0;
  };
  await comesTrue(isOver, { limitMs: ENDS_MS_MAX, everyMs: LOOKS_EVERY_MS });
  for (const name of left) report.fail(`${name} still fires ${seconds(ENDS_MS_MAX)} after the fault ended.`);
  if (left.length > 0) return;
  say(`all alerts resolved after ${seconds(performance.now() - thawedMs)}`);
  report.figure('alerts resolve after', seconds(performance.now() - thawedMs));
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
