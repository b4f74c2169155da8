import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monitoringFiles, monitoringFolder, readAlerts } from '@market-state/monitoring';
import { startSystem } from '@market-state/testing';
import { needsProgram, type Suite } from '../harness';
import { makeCertificateFolder } from '../mtls/certificate-folder';
import { checkQueries, runCommands } from './check-queries';
import { findPrograms } from './programs';
import { startPrometheus } from './prometheus';
import { rehearse } from './rehearse';
import { startStandby } from './standby';
import { exportRows, keepReading, keepStreaming, receiveWebhooks } from './use-system';

const run = promisify(execFile);

/** Rules, boards and runbooks against the product as it runs. */
export const monitoringSuite: Suite = {
  id: 'monitoring',
  claim:
    'a Prometheus that scrapes a running system gets series for every query of the boards and alerts; alerts fire when processes are ' +
    'frozen, and end; the commands of the runbooks answer',
  budget: { default: 1, counts: 'rounds of frozen processes' },
  short: { seed: 1, budget: 1 },
  needs: [needsProgram('prometheus', 'prometheus'), needsProgram('prometheus-postgres-exporter', 'prometheus-postgres-exporter')],
  async run(context) {
    const { closer, report, budget, say } = context;
    const programs = await findPrograms(say);
    const promtool = (...args: readonly string[]) => run(programs.promtool, args, { cwd: monitoringFolder() });
    await promtool('check', 'rules', ...monitoringFiles('rules', '.yaml'));
    await promtool('test', 'rules', ...monitoringFiles('rules/tests', '.yaml'));
    await promtool('check', 'config', 'prometheus-one-machine.yaml');

    const certificates = await makeCertificateFolder(closer);
    const system = await startSystem({ settings: { TLS_DIR: certificates.folder, FEED_HISTORY_MINUTES: '65' } });
    closer.add('system', () => system.stop());
    const standby = await startStandby(closer, system, programs.postgresExporter);
    const targets = join(system.dataDir, 'metrics-targets.json');
    const prometheus = await startPrometheus(closer, programs.prometheus, targets, standby.exporter);
    const key = await system.demoKey();
    keepReading(closer, system, key);
    keepStreaming(closer, system, key);
    await receiveWebhooks(closer, system);
    await exportRows(system, key);
    say('the system is used');

    await checkQueries(prometheus, context);
    const { total, faults } = await prometheus.rules();
    report.check(total === readAlerts().length, `Prometheus has ${total} rules of ${readAlerts().length}.`);
    report.fail(...faults);
    const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? '');
    report.figure('alerts that fire before anything is frozen', [...new Set(firing)].join(', ') || 'none');
    await runCommands(prometheus, system, certificates.variablesOf('operator'), context);
    for (let round = 1; round <= budget; round += 1) await rehearse(prometheus, system, standby, context);
  },
};
