import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Policy, verifySymbol, type FileIndex, fileSource, indexFiles, signingKeyOfPem, type SigningKey } from '@market-state/labeler';
import { CliCommand } from '../arguments/cli-command';
import { type ExitCode, badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, instant } from '../io/instant';
import { withOutput, type LineOutput, ndjsonLine } from '../io/line-output';
import { createProgress, type Progress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { withCliErrors } from '../verify/as-cli-error';
import { describe, exitCodeOf, verdict, type NamedVerification, type Verdict } from '../verify/describe';
import {
  type Keys,
  type VerifyEach,
  withSystemOptions,
  readVerifySettings,
  VERIFY_FORMATS,
  type VerifySettings,
} from '../verify/verify-settings';
import { lineFile } from '../io/file-lines';

/** @throws CliError (bad input) if there is none */
async function readSigningKeyFile(file: string, cwd: string): Promise<SigningKey> {
  const pem = await readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${file}: cannot be read (${error.code ?? error.message})`);
  });
  try {
    return signingKeyOfPem(pem);
  } catch {
    throw badInput(`${file}: no Ed25519 key in PEM format`);
  }
}

/** Uses the keys in the files; without any, signatures are not checked. */
async function verifyFiles(settings: VerifySettings, io: CliIo, keys: Keys, progress: Progress, verify: VerifyEach): Promise<void> {
  const index = await indexFiles(
    settings.files.map((name) => lineFile(name, io)),
    (name, lineTotal) => progress.report(() => `${name}: ${count(lineTotal)} lines`),
  );
  const symbols = symbolsOf(index, settings.symbol);
  const all = new Map([...index.keys, ...keys]);
  for (const symbol of symbols) await verify(fileSource(index, symbol, settings.span), all.size === 0 ? null : all);
}

function symbolsOf(index: FileIndex, requested: string | undefined): readonly string[] {
  const symbols = [...index.packets.keys()].sort();
  if (symbols.length === 0) throw badInput('The files have no packets (market_state_packet_row.v1 lines).');
  if (requested !== undefined && !symbols.includes(requested))
    throw badInput(`The files have no packets of ${requested}, only of ${symbols.join(', ')}.`);
  const chosen = requested === undefined ? symbols : [requested];
  const faults = chosen.filter((symbol) => !index.rowFiles.has(symbol));
  if (faults.length > 0)
    throw badInput(...faults.map((symbol) => `The files have packets of ${symbol} but none of its rows (market_state_row.v1 lines).`));
  return chosen;
}

export function verifyCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withSystemOptions(new CliCommand('verify'))
    .summary('recompute packets from the log and compare them digest for digest')
    .description(
      'Recomputes packets from the log they were made from and compares them with the stored ones: packet, lineage and input ' +
        'digests, every checkpoint along the way, and signatures.\n' +
        'With files, reads lines of market_state_row.v1, market_state_packet_row.v1, market_state_checkpoint.v1 and ' +
        'market_state_signing_key.v1, mixed, in any order of files.\n' +
        'With --event, downloads one event’s packet, the log entries it was made from and the preceding checkpoint, ' +
        'and recomputes it locally. The result relies on that checkpoint, which comes from the service. Costs at most 52 credits.\n' +
        'Without files, reads from a running system over gRPC; the default span is the hour up to its newest packet.\n' +
        'Exits with 0 if everything is equal, 1 if something differs, 2 if the input is unusable, 3 if some of it could not be compared.',
    )
    .argument('[files...]', 'rows, packets, checkpoints and keys (default: a running system)')
    .option('--key <file>', 'PEM file of the key that must have signed every packet')
    .option('--event <id>', 'verify the packet of this event from a service')
    .option('--url <address>', 'with --event: the service (default: as for market-state get)')
    .option('--max-credits <n>', 'with --event: most credits to spend', '100')
    .outputOption('output format: table (readable), ndjson (one object per symbol) or json (their list)', VERIFY_FORMATS, 'table')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state verify rows.ndjson packets.ndjson\n' +
        '  $ market-state verify --event evt_2x7tkeb5m81cxnm5ms1tg9v1bp\n' +
        '  $ market-state verify\n' +
        '  $ market-state verify --symbol BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T11:00:00Z\n',
    )
    .runs<VerifySettings>(readVerifySettings, (settings) => withCliErrors(() => verify(settings, io)), onExitCode);
}

async function verify(settings: VerifySettings, io: CliIo): Promise<ExitCode> {
  const policy = await readPolicy(settings.policy, io.cwd);
  const keys = await keysOf(settings, io);
  const progress = createProgress(io);
  const verdicts: Verdict[] = [];
  const eachTo = (output: LineOutput): VerifyEach =>
    verifyAndReport(policy, settings, output, progress, (outcome) => verdicts.push(outcome));
  const { event } = settings;
  try {
    if (event !== undefined) {
      const { verifyEvent } = await import('../verify/verify-event');
      return await verifyEvent({ ...settings, event }, io, keys, progress, eachTo, () => exitCodeOf(verdicts));
    }
    await withOutput(
      io,
      undefined,
      async (output) => {
        const each = eachTo(output);
        if (settings.files.length > 0) return verifyFiles(settings, io, keys, progress, each);
        const { verifySystem } = await import('../verify/system-sources');
        return verifySystem(settings, io, keys, each);
      },
      settings.format === 'json',
    );
  } finally {
    progress.end();
  }
  return exitCodeOf(verdicts);
}

function verifyAndReport(
  policy: Policy,
  { format, key }: VerifySettings,
  output: LineOutput,
  progress: Progress,
  onVerdict: (verdict: Verdict) => void,
): VerifyEach {
  return async (source, keys) => {
    const onProgress = (entryTotal: number, windowEndMs: number | null): void =>
      progress.report(
        () => `${source.symbol}: ${count(entryTotal)} entries${windowEndMs === null ? '' : `, re-derived up to ${instant(windowEndMs)}`}`,
      );
    const verification = {
      symbol: source.symbol,
      mustBeSigned: key !== undefined,
      ...(await verifySymbol(source, { policy, keys, onProgress })),
    };
    progress.end();
    onVerdict(verdict(verification));
    await output.write(...(format === 'table' ? describe(verification) : [verificationLine(verification)]));
  };
}

function verificationLine(verification: NamedVerification): string {
  return ndjsonLine('market_state_verification.v1', { verdict: verdict(verification), ...verification });
}

async function keysOf({ key }: VerifySettings, io: CliIo): Promise<Keys> {
  if (key === undefined) return new Map();
  const read = await readSigningKeyFile(key, io.cwd);
  return new Map([[read.keyId, read]]);
}
