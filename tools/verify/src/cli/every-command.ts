import { type CommandLine, type Format, FORMATS, formatFault, readCommands } from '@market-state/testing';
import type { SuiteContext, Report } from '../harness';
import type { CliScene } from './scene';

const SYMBOL = 'SIMUSD-PERP';
const RECORDED = 'BTCUSD-PERP';
/** Done, or there but not to be acted on: the simulated market is silent for a while in each of its rounds. */
const FINE = [0, 6];
const SECOND_MS = 1_000;

/** Every command that asks the service, in every format. */
export async function verifyEveryCommand({ report, say }: SuiteContext, { cli, system }: CliScene): Promise<void> {
  let [runs, bytes] = [0, 0];
  const look = async (args: readonly string[], codes: readonly number[] = FINE): Promise<void> => {
    for (const format of FORMATS) {
      const { exitCode, stdout, stderr } = await cli.run([...args, '--output', format]);
      runs += 1;
      bytes += stdout.length;
      judge(report, `${args.join(' ')} as ${format}`, { format, exitCode, codes, stdout, stderr });
    }
  };
  for (const line of readCommands(SYMBOL)) await look(line.split(' '));
  say('reads are done');
  const to = Date.now() - 120 * SECOND_MS;
  const span = ['--from', String(to - 20 * SECOND_MS), '--to', String(to)];
  await look(['replay', RECORDED, ...span, '--channels', 'trades']);
  // A credit is 100 messages, at whose end the tail ends too: with the code of its credits.
  await look(['tail', SYMBOL, '--channels', 'book,trades', '--max-credits', '1'], [5]);
  await verifyEvent(cli, report);
  await orderExports(look, cli);
  const verified = await cli.run(['verify-export', 'candles', '--url', system.url]);
  report.check(verified.exitCode === 0, `The files of an export do not verify: ${verified.stderr}`);
  await makeKeys(cli, report);
  report.figure('command lines, each in four formats', runs / FORMATS.length);
  report.figure('bytes that they wrote', bytes);
}

/** How a command line in a format went, and which exit codes would be right. */
interface Shown {
  readonly format: Format;
  readonly exitCode: number;
  readonly codes: readonly number[];
  readonly stdout: string;
  readonly stderr: string;
}

function judge(report: Report, named: string, { format, exitCode, codes, stdout, stderr }: Shown): void {
  report.check(codes.includes(exitCode), `${named} exits with ${exitCode}: ${stderr}`);
  const fault = formatFault(format, stdout);
  report.check(fault === null, `${named}: ${fault}`);
  report.check(!/\bundefined\b|\[object |\bNaN\b/.test(stdout), `${named} shows what is no value: ${stdout.slice(0, 300)}`);
}

async function verifyEvent(cli: CommandLine, report: Report): Promise<void> {
  const { stdout: newest } = await cli.run(['search', '--symbol', RECORDED, '--limit', '1', '--output', 'ndjson']);
  const { event_id: event } = JSON.parse(newest) as { readonly event_id: string };
  for (const format of ['table', 'ndjson']) {
    const { exitCode, stdout, stderr } = await cli.run(['verify', '--event', event, '--output', format]);
    report.check(exitCode === 0, `verify --event as ${format} exits with ${exitCode}: ${stderr}`);
    report.check(/EQUAL|"equal"/.test(stdout), `verify --event as ${format} does not say that all is equal: ${stdout}`);
  }
}

async function orderExports(look: (args: readonly string[]) => Promise<void>, cli: CommandLine): Promise<void> {
  const to = Date.now() - 120 * SECOND_MS;
  const order = ['--dataset', 'candles', '--symbols', RECORDED, '--format', 'csv', '--from', String(to - 600_000), '--to', String(to)];
  await look(['export', 'create', ...order, '--yes']);
  const { stdout } = await cli.run(['export', 'list', '--limit', '1', '--output', 'ndjson']);
  const { job_id: job } = JSON.parse(stdout) as { readonly job_id: string };
  await look(['export', 'wait', job]);
  await look(['export', 'download', job, '--out', 'candles']);
  await look(['export', 'review', job]);
}

/** Makes, replaces and takes back a key: what they print is the key alone, once. */
async function makeKeys(cli: CommandLine, report: Report): Promise<void> {
  const created = await cli.run(['account', 'keys', 'create', '--name', 'suite', '--scopes', 'read']);
  const made = created.stdout.trim();
  report.check(
    /^msk_live_\w+$/.test(made),
    `account keys create prints something beside the key: exit ${created.exitCode}, ${created.stderr}`,
  );
  const { stdout } = await cli.run(['account', 'keys', 'list', '--output', 'ndjson']);
  report.check(!stdout.includes(made), 'account keys list shows a key.');
  const listed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly key_id: string; readonly name: string });
  const id = listed.find(({ name }) => name === 'suite')?.key_id ?? '';
  const rotated = await cli.run(['account', 'keys', 'rotate', id]);
  report.check(/^msk_live_\w+$/.test(rotated.stdout.trim()), `account keys rotate exits with ${rotated.exitCode}: ${rotated.stderr}`);
  const revoked = await cli.run(['account', 'keys', 'revoke', id]);
  report.check(revoked.exitCode === 0, `account keys revoke exits with ${revoked.exitCode}: ${revoked.stderr}`);
}
