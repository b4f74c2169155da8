import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from '@market-state/launcher';
import { parse, stringify } from 'yaml';
import { monitoringFiles, monitoringFolder, readAlerts } from './dashboards-main';

const promtool = onPath('promtool');

interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly object[] }[];
}

test('each alert is tested as firing, as not firing, and as pending', () => {
  const tests = monitoringFiles('rules/tests', '.yaml').flatMap(
    (file) => (parse(readFileSync(file, 'utf8')) as { tests: RuleTest[] }).tests,
  );
  const shown = new Map<string, Set<string>>();
  for (const { alert_rule_test: looks } of tests) {
    const isFiring = looks.some(({ exp_alerts: alerts = [] }) => alerts.length > 0);
    for (const { alertname, exp_alerts: alerts = [] } of looks)
      shown.set(alertname, (shown.get(alertname) ?? new Set()).add(alerts.length > 0 ? 'fires' : isFiring ? 'not yet' : 'does not fire'));
  }
  expect(Object.fromEntries([...shown].map(([alert, seen]) => [alert, [...seen].sort()]))).toEqual(
    Object.fromEntries(readAlerts().map(({ alert }) => [alert, ['does not fire', 'fires', 'not yet']])),
  );
});

// Skipped without promtool.
(promtool === undefined ? describe.skip : describe)(
  `by promtool${promtool ? '' : ", which is not installed: Debian's package prometheus has it"}`,
  () => {
    const run = (...args: string[]): string =>
      execFileSync(promtool ?? '', args, { cwd: monitoringFolder(), encoding: 'utf8', stdio: 'pipe' });

    test('the rules are valid', () => {
      expect(run('check', 'rules', ...monitoringFiles('rules', '.yaml'), 'sign-of-life.yaml')).toContain('SUCCESS');
    });

    test('every alert passes its tests of firing and not firing', () => {
      expect(run('test', 'rules', ...monitoringFiles('rules/tests', '.yaml'))).toContain('SUCCESS');
    });

    test('the single-machine configuration is valid, with every rule', () => {
      const said = run('check', 'config', 'prometheus-one-machine.yaml');
      expect(said).toContain(`${monitoringFiles('rules', '.yaml').length} rule files found`);
    });

    test('annotated pods are scraped at their port and path, with one set of labels for all ports: process and pod', () => {
      const own = { name: 'feed-0', container: 'data-plane-feed', ip: '10.0.0.7', port: '9000', path: '/metrics' };
      const found = discovered('market-state', [
        pod({ ...own, containerPort: '7000' }),
        pod({ ...own, containerPort: '9000' }),
        pod({ name: 'other-1', container: 'redis', ip: '10.0.0.8' }),
        pod({ ...own, container: 'wait', init: 'true' }),
      ]);
      const labels = { instance: 'feed-0', job: 'market-state', process: 'data-plane-feed' };
      expect(found).toEqual(Array(2).fill({ __address__: '10.0.0.7:9000', __metrics_path__: '/metrics', ...labels }));
    });

    test('the Postgres exporter is scraped as a service', () => {
      const targets = ['account-postgres-exporter', 'account'].map((service) => ({ __meta_kubernetes_service_name: service }));
      expect(discovered('postgres', targets).map(({ instance }) => instance)).toEqual(['account-postgres-exporter']);
    });

    /**
     * Targets scraped by a job of prometheus.yaml after its relabelling. Debian's Prometheus lacks Kubernetes
     * discovery, so labels come from a file.
     */
    function discovered(jobName: string, targets: readonly Readonly<Record<string, string>>[]): Record<string, string>[] {
      const shipped = parse(readFileSync(join(monitoringFolder(), 'prometheus.yaml'), 'utf8')) as {
        scrape_configs: readonly { job_name: string; kubernetes_sd_configs?: readonly object[] }[];
      };
      const folder = mkdtempSync(join(tmpdir(), 'market-state-monitoring-'));
      try {
        const files = [join(folder, 'targets.json')];
        writeFileSync(files[0] ?? '', JSON.stringify(targets.map((labels) => ({ targets: ['10.0.0.1:1'], labels }))));
        const jobs = shipped.scrape_configs.map(({ kubernetes_sd_configs: _discovery, ...job }) => ({
          ...job,
          file_sd_configs: [{ files }],
        }));
        writeFileSync(join(folder, 'prometheus.yaml'), stringify({ ...shipped, rule_files: [], scrape_configs: jobs }));
        const said = run('check', 'service-discovery', '--timeout=1s', join(folder, 'prometheus.yaml'), jobName);
        const results = JSON.parse(said) as readonly { labels: Record<string, string> | null }[];
        return results
          .flatMap(({ labels }) => (labels === null || Object.keys(labels).length === 0 ? [] : [labels]))
          .map((labels) => Object.fromEntries(Object.entries(labels).filter(([name]) => !/^__(?:scheme|scrape)/.test(name))));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  },
);

interface Pod {
  readonly name: string;
  readonly container: string;
  readonly ip: string;
  /** From an annotation; absent if the pod has no metrics. */
  readonly port?: string;
  readonly path?: string;
  readonly containerPort?: string;
  readonly init?: 'true';
}

/** A container port in Kubernetes service discovery's format. */
function pod({ name, container, ip, port, path, containerPort = '9000', init }: Pod): Record<string, string> {
  return {
    __meta_kubernetes_pod_name: name,
    __meta_kubernetes_pod_container_name: container,
    __meta_kubernetes_pod_ip: ip,
    __meta_kubernetes_pod_container_port_number: containerPort,
    ...(port === undefined
      ? {}
      : { __meta_kubernetes_pod_annotation_prometheus_io_scrape: 'true', __meta_kubernetes_pod_annotation_prometheus_io_port: port }),
    ...(path === undefined ? {} : { __meta_kubernetes_pod_annotation_prometheus_io_path: path }),
    ...(init === undefined ? {} : { __meta_kubernetes_pod_container_init: init }),
  };
}
