import { timeLimit } from '@market-state/lifecycle';
import {
  faultsOf,
  isDeclaredAbsent,
  readAlerts,
  readDashboardQueries,
  readExposed,
  readRunbooks,
  useOf,
  withoutVariables,
} from '@market-state/monitoring';
import type { DefaultSystem } from '../../system/default-system';

const ANSWER_MS_MAX = 10_000;

/** Compares alerts, dashboards and runbooks with the processes' actual metrics. */
export function describeMonitoring(started: () => DefaultSystem): void {
  const readProcesses = async () => {
    const { processes } = started().system;
    const pages = processes.names.map(async (name) => {
      const answer = await fetch(`http://127.0.0.1:${processes.portsOf(name).ops}/metrics`, { signal: timeLimit(ANSWER_MS_MAX) });
      return answer.text();
    });
    return readExposed(await Promise.all(pages));
  };

  it('every query of a dashboard, an alert and a runbook uses metrics and labels that a process has', async () => {
    const exprs = [
      ...readDashboardQueries().map(({ expr }) => withoutVariables(expr)),
      ...readAlerts().map(({ expr }) => expr),
      ...readRunbooks().flatMap(({ commands }) => commands.flatMap((command) => useOf(command).queries)),
    ];
    expect(exprs.length).toBeGreaterThan(50);
    const exposed = await readProcesses();
    expect(exprs.flatMap((expr) => faultsOf(expr, exposed))).toEqual([]);
  });

  it('every metrics line that a runbook selects exists', async () => {
    const exposed = await readProcesses();
    const picked = readRunbooks().flatMap(({ commands }) => commands.flatMap((command) => useOf(command).metrics));
    const isThere = (name: string): boolean => exposed.names().some((metric) => metric.startsWith(name));
    expect(picked.filter((name) => !isThere(name) && !isDeclaredAbsent(name, name))).toEqual([]);
  });

  it('the delay of the event loop is a metric of every process', async () => {
    const { processes } = started().system;
    for (const name of processes.names) {
      const answer = await fetch(`http://127.0.0.1:${processes.portsOf(name).ops}/metrics`, { signal: timeLimit(ANSWER_MS_MAX) });
      expect([name, await answer.text()]).toEqual([name, expect.stringMatching(/^event_loop_delay_p99_seconds\{service="[\w-]+"\} \d/m)]);
    }
  });
}
