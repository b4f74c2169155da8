import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, onPath, services } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { parse } from 'yaml';
import { z } from 'zod';
import { monitoringFolder, readAlerts } from './dashboards-main';

const file = join(monitoringFolder(), 'alertmanager.yaml');
const matchers = z.array(z.string());
const config = z
  .object({
    inhibit_rules: z.array(z.strictObject({ source_matchers: matchers, target_matchers: matchers, equal: z.array(z.string()).optional() })),
  })
  .parse(parse(readFileSync(file, 'utf8')));
const alerts = readAlerts();

const amtool = onPath('amtool');
const program = onPath('prometheus-alertmanager') ?? onPath('alertmanager');
const isThere = amtool !== undefined && program !== undefined;
const LOOKS_MAX = 300;
const LOOK_MS = 100;
const ANSWER_MS_MAX = 5_000;

type Labels = Readonly<Record<string, string>>;

async function until(what: string, probe: () => Promise<boolean>): Promise<void> {
  for (let look = 0; !(await probe()); look += 1) {
    if (look === LOOKS_MAX) throw new Error(`It did not come true: ${what}.`);
    await delay(LOOK_MS);
  }
}

/** An alert as sent by Prometheus, with its rule's severity. */
function labelsOf(alert: string, labels: Labels = {}): Labels {
  const rule = alerts.find((one) => one.alert === alert);
  return { alertname: alert, severity: rule?.labels.severity ?? 'none', ...labels };
}

/** Values accepted by a label matcher: `alertname =~ "A|B"`. */
function wordsOf(label: string): readonly string[] {
  return config.inhibit_rules
    .flatMap(({ source_matchers: sources, target_matchers: targets }) => [...sources, ...targets])
    .filter((matcher) => matcher.startsWith(`${label} =`))
    .flatMap((matcher) => (/"(.+)"$/.exec(matcher)?.[1] ?? '').split('|'));
}

test('inhibition rules name existing alerts and processes', () => {
  const processes = Object.values(services).flatMap((service) => Object.keys(service.processes));
  const named = wordsOf('alertname');
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !alerts.some(({ alert }) => alert === name))).toEqual([]);
  const plain = wordsOf('process').filter((name) => /^[\w-]+$/.test(name));
  expect(plain.filter((name) => !processes.includes(name))).toEqual([]);
});

// Skipped without Alertmanager.
(!isThere ? describe.skip : describe)(
  `by Alertmanager${isThere ? '' : ", which is not installed: Debian's package prometheus-alertmanager has it"}`,
  () => {
    const run = (...args: readonly string[]): string => execFileSync(amtool ?? '', [...args], { encoding: 'utf8', stdio: 'pipe' });

    test('the configuration is valid', () => {
      expect(run('check-config', file)).toContain('SUCCESS');
    });

    test.each([
      ...alerts.map(({ alert, labels }) => [alert, labels.severity === 'critical' ? 'on-call' : 'tickets'] as const),
      ['MonitoringWorks', 'sign-of-life'] as const,
    ])('%s goes to %s', (alert, receiver) => {
      const labels = Object.entries(labelsOf(alert, { symbol: 'BTCUSD-PERP' })).map(([name, value]) => `${name}=${value}`);
      expect(run('config', 'routes', 'test', `--config.file=${file}`, `--verify.receivers=${receiver}`, ...labels).trim()).toBe(receiver);
    });

    describe('running', () => {
      let url = '';
      let stop: () => Promise<void> = async () => undefined;

      beforeAll(async () => {
        const folder = mkdtempSync(join(tmpdir(), 'market-state-alertmanager-'));
        const port = await freePort();
        url = `http://127.0.0.1:${port}/api/v2`;
        const args = [
          `--config.file=${file}`,
          `--storage.path=${folder}`,
          `--web.listen-address=127.0.0.1:${port}`,
          '--cluster.listen-address=',
          '--log.level=error',
        ];
        const child = spawn(program ?? '', args, { stdio: 'ignore' });
        const ended = once(child, 'exit');
        stop = async () => {
          child.kill('SIGKILL');
          await ended;
          rmSync(folder, { recursive: true, force: true });
        };
        const isUp = async (): Promise<boolean> => (await ask('/status').catch(() => undefined)) !== undefined;
        await until('Alertmanager answers', isUp);
      });
      afterAll(() => stop());

      async function ask(path: string, body?: unknown): Promise<unknown> {
        const answer = await fetch(url + path, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'content-type': 'application/json' },
          body: body === undefined ? undefined : JSON.stringify(body),
          signal: timeLimit(ANSWER_MS_MAX),
        });
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        const text = await answer.text();
        return text === '' ? {} : JSON.parse(text);
      }

      interface Reported {
        readonly labels: Labels;
        readonly status: { readonly inhibitedBy: readonly string[] };
      }

      const LAST_SYMBOL = 'LASTUSD-PERP';
      /** The first always inhibits the second. */
      const LAST = [labelsOf('FeedSilent', { symbol: LAST_SYMBOL }), labelsOf('PacketsMissing', { symbol: LAST_SYMBOL })];
      const isLast = (labels: Labels): boolean => labels['symbol'] === LAST_SYMBOL;
      const isSilent = ({ inhibitedBy }: Reported['status']): boolean => inhibitedBy.length > 0;
      const reported = async (): Promise<readonly Reported[]> => (await ask('/alerts')) as Reported[];

      /** Sends only these alerts. @returns names and symbols of the inhibited ones */
      async function silentOf(all: readonly Labels[]): Promise<readonly string[]> {
        const ended = ((await ask('/alerts')) as { labels: Labels }[]).map(({ labels }) => ({ labels, endsAt: new Date().toISOString() }));
        if (ended.length > 0) await ask('/alerts', ended);
        await until('no alert is left', async () => ((await ask('/alerts?active=true')) as unknown[]).length === 0);
        await ask(
          '/alerts',
          [...all, ...LAST].map((labels) => ({ labels })),
        );
        // Alerts are processed in order, asynchronously: once the last one is inhibited, all earlier ones were
        // evaluated.
        await until('the last alert is silent', async () =>
          (await reported()).some(({ labels, status }) => isLast(labels) && isSilent(status)),
        );
        const found = (await reported()).filter(({ labels }) => !isLast(labels));
        expect(found).toHaveLength(all.length);
        return found
          .filter(({ status }) => isSilent(status))
          .map(({ labels }) => [labels['alertname'], labels['symbol']].filter(Boolean).join(' '))
          .sort();
      }

      const [btc, eth] = [{ symbol: 'BTCUSD-PERP' }, { symbol: 'ETHUSD-PERP' }];
      const missing = [labelsOf('PacketsMissing', btc), labelsOf('PacketsMissing', eth)];
      const down = (process: string): Labels => labelsOf('ProcessDown', { process, instance: `${process}-0` });

      test.each([
        ['nothing by default', missing, []],
        [
          'packets of a symbol with a silent feed, but not those of another',
          [labelsOf('FeedSilent', btc), ...missing],
          ['PacketsMissing BTCUSD-PERP'],
        ],
        [
          'a missing standby because the other feed is down, but not missing data of symbols, which may be in another shard',
          [down('data-plane-feed'), labelsOf('FeedWithoutStandby', btc), labelsOf('FeedSilent', eth), labelsOf('PacketsMissing', btc)],
          ['FeedWithoutStandby BTCUSD-PERP'],
        ],
        ['nothing about symbols because one of several labelers is down', [down('labeling'), ...missing], []],
        ['nothing because of an unrelated process', [down('webhook-worker'), ...missing], []],
        [
          'the pause of a feed with a full log, and its missing packets',
          [labelsOf('LogMemoryHigh', btc), labelsOf('FeedPaused', { ...btc, reason: 'memory' }), ...missing],
          ['FeedPaused BTCUSD-PERP', 'PacketsMissing BTCUSD-PERP'],
        ],
        ['no pause for another reason', [labelsOf('LogMemoryHigh', btc), labelsOf('FeedPaused', { ...btc, reason: 'consumers' })], []],
        [
          'consequences of an account outage',
          [down('account'), labelsOf('LeasesRefused', { service: 'gateway' }), labelsOf('ErrorShareHigh'), labelsOf('LedgerFaults')],
          ['ErrorShareHigh', 'LeasesRefused'],
        ],
        ['late reads of an overloaded gateway', [labelsOf('EventLoopDelayed', { instance: 'a' }), labelsOf('LatestSlow')], ['LatestSlow']],
        [
          'never the heartbeat',
          [...alerts.map(({ alert }) => labelsOf(alert)), labelsOf('MonitoringWorks')],
          expect.not.arrayContaining(['MonitoringWorks']),
        ],
      ] as const)('inhibits %s', async (_what, all, silent) => {
        expect(await silentOf(all)).toEqual(silent);
      });

      test('alerts about one symbol are grouped, separately from those about another', async () => {
        await silentOf([
          labelsOf('LogMemoryHigh', btc),
          labelsOf('FeedSilent', btc),
          labelsOf('FeedSilent', eth),
          labelsOf('RecorderBehind', btc),
        ]);
        const groups = (await ask('/alerts/groups')) as { receiver: { name: string }; labels: Labels; alerts: { labels: Labels }[] }[];
        const reported = groups.map(({ receiver, labels, alerts: own }) => [
          receiver.name,
          labels['symbol'],
          own.map((alert) => alert.labels['alertname']).sort(),
        ]);
        expect(reported.filter(([, symbol]) => symbol !== undefined)).toEqual(
          expect.arrayContaining([
            ['on-call', 'BTCUSD-PERP', ['FeedSilent', 'LogMemoryHigh']],
            ['on-call', 'ETHUSD-PERP', ['FeedSilent']],
            ['tickets', 'BTCUSD-PERP', ['RecorderBehind']],
          ]),
        );
      });
    });
  },
);
