import { mkdirSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { parse } from 'yaml';
import { z } from 'zod';
import { toDashboard, type Dashboard } from './dashboards/board';
import { credits } from './dashboards/credits';
import { edge } from './dashboards/edge';
import { exportJobs } from './dashboards/exports';
import { overview } from './dashboards/overview';
import { stores } from './dashboards/stores';
import { webhooks } from './dashboards/webhooks';

/** Every dashboard, in the order of the documentation. */
export const dashboards: readonly Dashboard[] = [overview, edge, credits, exportJobs, webhooks, stores];

const alertShape = z.strictObject({
  alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
  expr: z.string().min(1),
  for: z.string().regex(/^\d+[smh]$/),
  labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
  annotations: z.strictObject({ summary: z.string().min(1), description: z.string().min(1), runbook: z.string().min(1) }),
});

const rulesShape = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(alertShape).min(1) })).min(1) });

type Alert = z.infer<typeof alertShape>;

/** Folder of rules, dashboards and configurations. */
export function monitoringFolder(): string {
  return join(workspaceRoot(), 'deploy', 'monitoring');
}

/** Sorted files of a subfolder with this extension. */
export function monitoringFiles(folder: string, ending: string): string[] {
  const path = join(monitoringFolder(), folder);
  const names = readdirSync(path).filter((name) => name.endsWith(ending));
  return names.sort().map((name) => join(path, name));
}

/** Every alert in file order. @throws ZodError if a file does not match the schema */
export function readAlerts(): Alert[] {
  return monitoringFiles('rules', '.yaml').flatMap((file) =>
    rulesShape.parse(parse(readFileSync(file, 'utf8'))).groups.flatMap(({ rules }) => rules),
  );
}

const dashboardShape = z.object({
  title: z.string(),
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});

interface ShippedQuery {
  readonly panel: string;
  readonly expr: string;
}

export function readDashboardQueries(): ShippedQuery[] {
  return monitoringFiles('boards', '.json').flatMap((file) => {
    const { title, panels } = dashboardShape.parse(JSON.parse(readFileSync(file, 'utf8')));
    return panels.flatMap((panel) => panel.targets.map(({ expr }) => ({ panel: `${title}, ${panel.title}`, expr })));
  });
}

/** Run by `npm run generate`: writes `deploy/monitoring/boards/*.json`. */
const folder = join(monitoringFolder(), 'boards');
mkdirSync(folder, { recursive: true });
for (const dashboard of dashboards)
  writeFileSync(join(folder, `${dashboard.id}.json`), `${JSON.stringify(toDashboard(dashboard), null, 2)}\n`);
