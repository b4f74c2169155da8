import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { Ajv } from 'ajv';
import { monitoringFiles, dashboards } from './dashboards-main';
import { readQuery, withoutVariables } from './exposed';
import { toDashboard } from './dashboards/board';

const schema = JSON.parse(readFileSync(join(workspaceRoot(), 'tools', 'monitoring', 'schemas', 'board.schema.json'), 'utf8')) as object;
const isDashboard = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);
const files = monitoringFiles('boards', '.json');

function faultsOf(dashboard: unknown): string[] {
  return isDashboard(dashboard) ? [] : (isDashboard.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

test('the files match the descriptions, with no others', () => {
  expect(files.map((file) => basename(file, '.json'))).toEqual(dashboards.map(({ id }) => id).sort());
  for (const dashboard of dashboards)
    expect(JSON.parse(readFileSync(files.find((file) => basename(file, '.json') === dashboard.id) ?? '', 'utf8'))).toEqual(
      toDashboard(dashboard),
    );
});

test.each(files)('%s matches the dashboard schema', (file) => {
  expect(faultsOf(JSON.parse(readFileSync(file, 'utf8')))).toEqual([]);
});

test('the schema rejects what Grafana would not draw', () => {
  const [dashboard] = dashboards;
  if (dashboard === undefined) throw new Error('There is no dashboard.');
  const made = toDashboard(dashboard) as { panels: Record<string, unknown>[] };
  const changed = (change: object) => ({ ...made, panels: [{ ...made.panels[0], ...change }, ...made.panels.slice(1)] });
  expect(faultsOf(changed({ type: 'graph' }))).not.toEqual([]);
  expect(faultsOf(changed({ gridPos: { h: 8, w: 25, x: 0, y: 0 } }))).not.toEqual([]);
  expect(faultsOf(changed({ targets: [] }))).not.toEqual([]);
  expect(faultsOf(changed({ queries: [] }))).not.toEqual([]);
  expect(faultsOf({ ...made, uid: undefined })).not.toEqual([]);
});

test.each(dashboards)('$id: panels fit in 24 columns without overlap, and have unique ids', (dashboard) => {
  const { panels } = toDashboard(dashboard) as { panels: { id: number; gridPos: { h: number; w: number; x: number; y: number } }[] };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([x < 24, taken.has(`${x} ${y}`)]).toEqual([true, false]);
        taken.add(`${x} ${y}`);
      }
});

test.each(dashboards.flatMap(({ id, panels }) => panels.map((panel) => [id, panel.title, panel] as const)))(
  '%s: every query of "%s" parses, and its legend uses only labels that the query keeps',
  (_id, _title, { queries }) => {
    for (const { expr, legend } of queries) {
      const { selectors } = readQuery(withoutVariables(expr));
      expect(selectors.length).toBeGreaterThan(0);
      const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      const left = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [];
      expect(named.filter((label) => !left.includes(label ?? ''))).toEqual([]);
    }
  },
);
