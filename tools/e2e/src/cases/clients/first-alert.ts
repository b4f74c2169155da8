import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { userProgramFile } from '@market-state/launcher';
import { freePort, waitUntil } from '@market-state/testing';
import type { ReadySystem } from '../../system/default-system';

const program = userProgramFile();
const webhooks = '/api/public/market-state/webhooks';

/** Runs a line in a shell. @returns its output as JSON */
async function shell(line: string): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { timeout: 300_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/**
 * Follows a new user's first alert: starts the receiver and pastes its commands. The result is checked later, so that
 * other tests run during the wait.
 */
export function firstAlertTests(started: () => ReadySystem) {
  let receiver: ChildProcess;
  let port: number;
  let printed = '';
  let secret: unknown;

  function line(text: string): Promise<string> {
    const find = async (): Promise<string | false> => {
      if (receiver.exitCode !== null) throw new Error(`The receiver exited:\n${printed}`);
      return printed.split('\n').find((each) => each.includes(text)) ?? false;
    };
    return waitUntil(`"${text}" from the receiver`, find);
  }

  function describeCommands(): void {
    beforeAll(async () => {
      port = await freePort();
      const args = [program, 'listen', '--serve', String(port), '--data-dir', started().system.dataDir];
      receiver = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [receiver.stdout, receiver.stderr]) stream?.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    });

    it('its three commands register, test and create an alert: the receiver gets signed messages as described', async () => {
      await line('"kind":"score_change"');
      const commands = printed.split('\n').filter((each) => each.startsWith('  curl '));
      expect(commands).toHaveLength(3);
      const [register = '', test = '', alert = ''] = commands;

      const registered = await shell(register);
      const { webhook_id: endpointId, status } = registered;
      ({ secret } = registered);
      expect([status, secret]).toEqual(['test_pending', expect.stringMatching(/^whsec_/)]);
      await line(`Registered as ${String(endpointId)}`);

      expect(await shell(test)).toMatchObject({
        succeeded: true,
        webhook: { status: 'live', test_target: true },
        attempt: { outcome: 'ok' },
      });
      expect(await line('webhook.test')).toContain('signature valid, body matches the schema');

      const { alert_id: alertId } = await shell(alert);
      expect(alertId).toMatch(/^al_/);
    });
  }

  function describeArrival(): void {
    afterAll(async () => {
      if (receiver === undefined || receiver.exitCode !== null) return;
      const ended = once(receiver, 'exit');
      receiver.kill('SIGINT');
      await ended;
    });

    it('the alert reaches the receiver: signed, as described, with a window that can be reopened', async () => {
      const reported = await line('SIMUSD-PERP  triggered');
      expect(reported).toMatch(/alert\.triggered {2}msg_\w+ {2}SIMUSD-PERP {2}triggered {2}.*signature valid, body matches the schema$/);
      expect(await line('reopened')).toMatch(
        /reopened: [1-9]\d* packets?, chain intact, the last one is evt_\w+, made from [1-9][\d,]* rows?/,
      );
      expect(secret).toMatch(/^whsec_/);
      expect(printed).not.toContain(String(secret));
    });

    it('messages at the receiver have receipts, and the pull list has the same bodies', async () => {
      const { api } = started();
      const [, messageId = ''] = /alert\.triggered {2}(msg_\w+)/.exec(printed) ?? [];
      const { body: receipts } = await api.getWithKey(`${webhooks}/deliveries`);
      const attempts = receipts['attempts'] as readonly Record<string, unknown>[];
      expect(attempts.filter(({ message_id: id }) => id === messageId)).toEqual([
        expect.objectContaining({ outcome: 'ok', status_code: 200, number: 1, event_kind: 'alert.triggered', test_target: true }),
      ]);
      const { body: pulled } = await api.getWithKey(`${webhooks}/events?kinds=alert.triggered`);
      const events = pulled['events'] as readonly Record<string, unknown>[];
      expect(events.map(({ id }) => id)).toContain(messageId);
      const { body: one } = await api.getWithKey(`${webhooks}/events/${messageId}`);
      expect(one['body']).toEqual(events.find(({ id }) => id === messageId));
    });
  }

  return { describeCommands, describeArrival };
}
