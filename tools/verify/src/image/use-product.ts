import { join } from 'node:path';
import { userProgramFile } from '@market-state/launcher';
import { callOnce, waitUntil } from '@market-state/testing';
import type { ComposeServer } from '../compose/compose-server';
import type { Report } from '../harness';
import { runCommand } from './command';

const TENANT = 'A reader of images';
const SYMBOL = 'BTCUSD-PERP';
const LATEST = `/api/public/market-state/latest?symbol=${SYMBOL}`;
const JOBS = '/api/public/data/export/jobs';
const COMMAND_MS = 30_000;
const WAIT_MS = 60_000;

/** Reads a packet, pages and the state of the release, and has a file of rows made, as a customer does. */
export async function useProduct({ machine, ask }: ComposeServer, report: Report): Promise<void> {
  const operate = (...args: readonly string[]): Promise<string> => runOperator(machine.folder, machine.portOf('account', '7000'), args);
  await operate('tenants', 'create', TENANT, '--plan', 'public_pro');
  const key = (await operate('keys', 'issue', TENANT, '--name', 'images', '--scopes', 'read,export')).trim();
  const headers = { 'x-market-state-api-key': key };

  const packet = await waitUntil(
    'a packet through the gateway',
    async () => /"packet_id":"([^"]+)"/.exec((await ask(LATEST, headers)).text)?.[1],
    WAIT_MS,
  );
  report.figure('a packet read through the image of the gateway', packet);
  for (const path of ['/', '/docs', '/openapi.json']) {
    const { status } = await ask(path);
    report.check(status === 200, `${path} answers ${status}.`);
  }
  const release = JSON.parse((await ask('/api/public/market-state/status/release', headers)).text) as Release;
  const { release_state: state, differing_parts: differing } = release;
  report.check(state === 'ready', `The release is ${state}, and these parts differ: ${JSON.stringify(differing)}.`);

  const gateway = `http://127.0.0.1:${machine.portOf('gateway', '8080')}`;
  const order = { dataset: 'trades', symbols: [SYMBOL] };
  const taken = await callOnce(gateway + JOBS, { key, method: 'POST', body: order, headers: { 'idempotency-key': 'images' } });
  const { job_id: job } = JSON.parse(taken?.text ?? '{}') as { readonly job_id?: string };
  if (job === undefined) return report.fail(`An export is answered ${taken?.status}: ${taken?.text}`);
  const rows = await waitUntil('the file of an export', () => rowsOf(ask, `${JOBS}/${job}`, headers), WAIT_MS);
  report.figure('rows of trades in a Parquet file made by the image of the worker', rows);
}

interface Release {
  readonly release_state: string;
  readonly differing_parts: readonly object[];
}

/** Rows of a job that is ready. */
async function rowsOf(ask: ComposeServer['ask'], path: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const { status, row_total: rows } = JSON.parse((await ask(path, headers)).text) as {
    readonly status: string;
    readonly row_total: number;
  };
  return status === 'ready' ? rows : undefined;
}

/** The program of users, with the operator's certificate. */
function runOperator(folder: string, port: number, args: readonly string[]): Promise<string> {
  const certificate = (name: string): string => join(folder, 'certificates', name);
  const env = {
    ACCOUNT_ADDRESS: `127.0.0.1:${port}`,
    TLS_CERT_FILE: certificate('operator.crt'),
    TLS_KEY_FILE: certificate('operator.key'),
    TLS_CA_FILE: certificate('ca.crt'),
  };
  return runCommand(process.execPath, [userProgramFile(), ...args], { env, timeoutMs: COMMAND_MS });
}
