import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { services, workspaceRoot } from '@market-state/launcher';
import { monitoringFolder, readAlerts } from './dashboards-main';
import { readQuery } from './exposed';
import { readRunbooks, runbookNameOf, SECTIONS, useOf, variableOf } from './runbooks';

const alerts = readAlerts();
const runbooks = readRunbooks();
const processes = Object.values(services).flatMap((service) => Object.keys(service.processes));
const suiteFolder = join(workspaceRoot(), 'tools', 'verify', 'src');
/** Ids of suites, where their sources give them. */
const suites = readdirSync(suiteFolder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => [...readFileSync(join(suiteFolder, file), 'utf8').matchAll(/^ {2}id: '([\w-]+)',\n {2}claim:/gm)].map(([, id]) => id));
const program = readFileSync(join(workspaceRoot(), 'apps', 'cli', 'src', 'program.ts'), 'utf8');
const programs = [...program.matchAll(/^ {2}'?([\w-]+)'?: of(?:Client|Recordings|Services)\(/gm)].map(([, name]) => name);

test('each alert has a page and names it, and each page is of an alert', () => {
  expect(runbooks.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => runbookNameOf(alert)).sort());
  for (const { alert, annotations } of alerts) expect(annotations.runbook).toBe(`deploy/runbooks/${runbookNameOf(alert)}.md`);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

test.each(runbooks)('$name has its sections, each with something to say', ({ name, title, sections, textOf, commands }) => {
  expect(runbookNameOf(title)).toBe(name);
  expect(sections).toEqual(SECTIONS);
  for (const section of SECTIONS) expect([section, textOf(section).length > 40]).toEqual([section, true]);
  expect(commands).toHaveLength(3);
});

test.each(runbooks)('$name names a suite that is there', ({ textOf }) => {
  const named = [...textOf('Tested by').matchAll(/`npm run verify -- ([\w-]+)`/g)].map(([, id]) => id);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((id) => !suites.includes(id))).toEqual([]);
});

test.each(runbooks.flatMap(({ name, commands }) => commands.map((command) => [name, command] as const)))(
  '%s: %s is a command, on pages and by queries that can be there',
  (_name, command) => {
    execFileSync('/bin/sh', ['-n'], { input: command });
    expect(command.startsWith('curl ') || command.startsWith('npx market-state ')).toBe(true);
    const { pages, metrics, queries } = useOf(command);
    for (const { variable, page } of pages) {
      expect(processes.map(variableOf)).toContain(variable);
      expect(['/metrics', '/readyz', '/livez']).toContain(page);
    }
    for (const query of queries) expect(readQuery(query).selectors.length).toBeGreaterThan(0);
    const [, name] = /^npx market-state (?:admin )?(\S+)/.exec(command) ?? [];
    if (name === undefined) expect(command).toMatch(/^curl -sm5 "\$(?:\w+_OPS|PROMETHEUS|API)\//);
    else expect(programs).toContain(name);
    // A page of metrics without a pick is no answer to anything.
    expect(metrics.length > 0 || !pages.some(({ page }) => page === '/metrics')).toBe(true);
  },
);

test('the addresses of a system of this machine are printed as the variables of the commands, for a shell to take', () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-addresses-'));
  const targets = processes.map((process, at) => ({ targets: [`127.0.0.1:${9_000 + at}`], labels: { process } }));
  writeFileSync(join(folder, 'metrics-targets.json'), JSON.stringify(targets));
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify({ gateway: 'http://127.0.0.1:8080', account: '127.0.0.1:7000' }));
  const lines = [`eval "$('${process.execPath}' addresses.mjs '${folder}')"`, 'env'].join('\n');
  const printed = execFileSync('/bin/sh', ['-c', lines], {
    cwd: monitoringFolder(),
    encoding: 'utf8',
    env: { PROMETHEUS: 'http://prometheus' },
  });
  rmSync(folder, { recursive: true });
  const variables = Object.fromEntries(printed.split('\n').map((line) => line.split('=', 2)));
  expect(variables).toMatchObject({
    API: 'http://127.0.0.1:8080',
    PROMETHEUS: 'http://prometheus',
    ...Object.fromEntries(processes.map((process, at) => [variableOf(process), `http://127.0.0.1:${9_000 + at}`])),
  });
});
