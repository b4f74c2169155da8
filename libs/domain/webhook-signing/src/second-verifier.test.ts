import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { formatWebhookSecret, signWebhook } from './index';

const PROGRAM = join(import.meta.dirname, '../../../../tools/reference/verify_webhook.py');
const NEW = formatWebhookSecret(Buffer.alloc(32, 1));
const OLD = formatWebhookSecret(Buffer.alloc(32, 2));
const BODY = Buffer.from('{"text":"é\u{1f600}"}\n');
const NOW = 1_800_000_000;

/** Registered and counted as skipped where there is no Python. */
const whereThereIsPython = spawnSync('python3', ['--version']).status === 0 ? test : test.skip;

function verify(secret: string, { body = BODY, now = NOW } = {}) {
  const headers = signWebhook({ id: 'msg_1', timestampSeconds: NOW, body: BODY }, [NEW, OLD]);
  const input = JSON.stringify({ headers, body_base64: body.toString('base64'), now });
  const { status, stdout } = spawnSync('python3', [PROGRAM, secret], { input, encoding: 'utf8' });
  return { status, says: stdout.trim() };
}

whereThereIsPython(
  'a second verifier accepts a message under each of its secrets and refuses it changed, late, early or under another',
  () => {
    const unknown = { status: 1, says: 'no signature is by a known secret' };
    const away = { status: 1, says: 'the timestamp is more than five minutes away' };
    expect(verify(NEW)).toEqual({ status: 0, says: 'genuine' });
    expect(verify(OLD, { now: NOW + 300 })).toEqual({ status: 0, says: 'genuine' });
    expect(verify(formatWebhookSecret(Buffer.alloc(32, 3)))).toEqual(unknown);
    expect(verify(NEW, { body: BODY.subarray(1) })).toEqual(unknown);
    expect(verify(NEW, { now: NOW + 301 })).toEqual(away);
    expect(verify(NEW, { now: NOW - 301 })).toEqual(away);
  },
);
