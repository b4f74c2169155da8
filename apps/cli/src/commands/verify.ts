import { gunzipSync } from 'node:zlib';
import { recordingLineBatches } from '@market-state/market-data';
import { runClient } from '../client/run-client';
import {
  type Policy,
  verifySymbol,
  type FileIndex,
  fileSource,
  indexFiles,
  type LineFile,
  signingKeyOfPem,
  type SigningKey,
  type AlteredRow,
  verdictOf,
  type PacketDifference,
  type Rederivation,
  type Verification,
} from '@market-state/labeler';
import { CliCommand } from '../arguments/cli-command';
import { type ExitCode, badInput, EXIT, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, instant, counted } from '../io/instant';
import { withOutput, type LineOutput, ndjsonLine } from '../io/line-output';
import { createProgress, type Progress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { readText } from '../io/text-file';
import {
  type Keys,
  type VerifyEach,
  withSystemOptions,
  readVerifySettings,
  VERIFY_FORMATS,
  type VerifySettings,
  withCliErrors,
} from '../verify/verify-settings';
import { lineFile } from '../io/file-lines';

/** @throws CliError (bad input) if there is none */
async function readSigningKeyFile(file: string, io: CliIo): Promise<SigningKey> {
  const pem = await readText(file, io);
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

/** Lines of text or gzip bytes. @throws CliError (bad input) if the gzip is corrupt */
function memoryFile(name: string, bytes: Uint8Array): LineFile {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = isGzip ? unpacked(name, bytes) : bytes;
  return { name, lines: { [Symbol.asyncIterator]: () => recordingLineBatches(once(text)) } };
}

function unpacked(name: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw badInput(`${name}: corrupt gzip: ${(error as Error).message}`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The bundle has the log entries the packet was made from and the checkpoint before them. */
function verifyEvent(
  settings: VerifySettings & { readonly event: string },
  io: CliIo,
  given: Keys,
  progress: Progress,
  verifyTo: (output: LineOutput) => VerifyEach,
  exitCode: () => ExitCode,
): Promise<ExitCode> {
  const { event } = settings;
  return runClient(io, settings, async ({ ms, say }) => {
    const { response } = await ms.events.bundle({ event_id: event }, { signal: io.signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const index = await indexFiles([memoryFile(`bundle of ${event}`, bytes)], (name, lineTotal) =>
      progress.report(() => `${name}: ${count(lineTotal)} lines`),
    );
    progress.end();
    const symbols = [...index.packets].filter(([, packets]) => packets.some(({ eventId }) => eventId === event)).map(([symbol]) => symbol);
    if (symbols.length === 0) throw incomplete(`The bundle does not contain the packet of ${event}.`);
    const keys = given.size > 0 ? given : index.keys;
    await withOutput(
      io,
      undefined,
      async (output) => {
        for (const symbol of symbols) await verifyTo(output)(fileSource(index, symbol, {}), keys.size === 0 ? null : keys);
      },
      settings.format === 'json',
    );
    say(`${event}: ${count(bytes.length)} bytes downloaded, recomputed locally`);
    return exitCode();
  });
}

export function verifyCommand(): CliCommand {
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
    .runs<VerifySettings>(readVerifySettings, (settings, io) => withCliErrors(() => verify(settings, io)));
}

async function verify(settings: VerifySettings, io: CliIo): Promise<ExitCode> {
  const policy = await readPolicy(settings.policy, io.cwd);
  const keys = await keysOf(settings, io);
  using progress = createProgress(io);
  const verdicts: Verdict[] = [];
  const eachTo = (output: LineOutput): VerifyEach =>
    verifyAndReport(policy, settings, output, progress, (outcome) => verdicts.push(outcome));
  const { event } = settings;
  if (event !== undefined) {
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
  const read = await readSigningKeyFile(key, io);
  return new Map([[read.keyId, read]]);
}

interface NamedVerification extends Verification {
  readonly symbol: string;
  readonly mustBeSigned: boolean;
}

type Verdict = 'equal' | 'different' | 'incomplete';

function verdict({ result, altered, otherChainUntilMs, mustBeSigned, awaitingMax }: NamedVerification): Verdict {
  const compared = result === null || altered.length > 0 ? 'different' : verdictOf(result, { mustBeSigned, awaitingMax });
  return compared === 'equal' && otherChainUntilMs !== null ? 'incomplete' : compared;
}

/** The worst verdict decides. */
function exitCodeOf(verdicts: readonly Verdict[]): ExitCode {
  if (verdicts.includes('different')) return EXIT.different;
  return verdicts.includes('incomplete') ? EXIT.incomplete : EXIT.done;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  equal: 'EQUAL: every recomputed packet matches, digest for digest',
  different: 'DIFFERENT: stored data does not match the log',
  incomplete: 'INCOMPLETE: part of the span could not be compared',
};

function describe(verification: NamedVerification): readonly string[] {
  const { symbol, span, start, otherChainUntilMs, brokenStart, result, altered } = verification;
  const lines = [`${symbol}  ${WORDS[verdict(verification)]}`];
  const say = (title: string, text: string): void => void lines.push(`  ${title.padEnd(12)}${text}`);
  say('span', `windows ending from ${instant(span.fromMs)} until ${instant(span.toMs)}`);
  if (result === null) {
    say('checkpoint', `unusable: ${brokenStart ?? ''}`);
    return lines;
  }
  say(
    'start',
    start === null ? 'beginning of the log' : `checkpoint at ${instant(start.window_end_ms)}, after entry ${count(start.ordinal)}`,
  );
  if (otherChainUntilMs !== null) say('', 'packets up to there belong to the chain of another policy: not compared');
  say('entries', entriesText(result));
  for (const line of alteredLines(altered)) say('rows', line);
  for (const line of packetLines(result)) say('packets', line);
  say('checkpoints', checkpointsText(result));
  say('signatures', signaturesText(result));
  say('policy', result.policyDigest);
  if (result.packets.first !== null) lines.push(...differenceLines(result.packets.first));
  return lines;
}

function entriesText({ entries }: Rederivation): string {
  if (entries.total === 0) return 'none';
  const parts = [`${count(entries.total)} read, ${count(entries.firstOrdinal ?? 0)} to ${count(entries.lastOrdinal ?? 0)}`];
  if (entries.holes.length === 0) parts.push('none missing');
  for (const { firstOrdinal, lastOrdinal, newEpoch } of entries.holes.slice(0, 5)) {
    const places = firstOrdinal === lastOrdinal ? count(firstOrdinal) : `${count(firstOrdinal)} to ${count(lastOrdinal)}`;
    parts.push(`${places} ${newEpoch ? 'lost with the log, a new epoch follows' : 'MISSING'}`);
  }
  if (entries.holes.length > 5) parts.push(`${count(entries.holes.length - 5)} more ranges`);
  if (entries.repeatedTotal > 0) parts.push(`${count(entries.repeatedTotal)} skipped as duplicates`);
  return parts.join('; ');
}

const ALTERED_SHOWN = 5;

function alteredLines(altered: readonly AlteredRow[]): readonly string[] {
  if (altered.length === 0) return [];
  const places = altered
    .slice(0, ALTERED_SHOWN)
    .map(({ ordinal, windowEndMs }) => `entry ${count(ordinal)}, first read by the packet of ${instant(windowEndMs)}`);
  if (altered.length > ALTERED_SHOWN) places.push(`and ${count(altered.length - ALTERED_SHOWN)} more`);
  return [
    `${count(altered.length)} CHANGED after ${altered.length === 1 ? 'it was' : 'they were'} written: the served columns ` +
      `do not match the entry`,
    ...places,
  ];
}

function packetLines({ packets }: Rederivation): readonly string[] {
  if (Object.values(packets).every((total) => total === 0 || total === null))
    return ['none stored for this span, and none computed from the entries'];
  const lines = [`${count(packets.compared)} compared: ${count(packets.equal)} equal, ${count(packets.different)} different`];
  if (packets.missing > 0) lines.push(`${count(packets.missing)} computed but not stored`);
  if (packets.extra > 0) lines.push(`${count(packets.extra)} stored, but the log gives none for their windows`);
  if (packets.beforeEntries > 0)
    lines.push(`${count(packets.beforeEntries)} stored before the first window of the entries read: not compared`);
  if (packets.otherPolicy > 0)
    lines.push(`${count(packets.otherPolicy)} made under another policy: not compared (pass --policy to verify them)`);
  if (packets.awaiting > 0)
    lines.push(`${counted(packets.awaiting, 'newest packet')} not compared: the rows end before the entry that closes them`);
  if (packets.ahead > 0) lines.push(`${counted(packets.ahead, 'window')} computed after the newest stored packet`);
  if (packets.different > 0)
    lines.push(
      'each packet is recomputed from the stored one before it, so a difference does not spread along the chain, except through the ' +
        'history that the labeler keeps (medians, sessions, trailing means)',
    );
  return lines;
}

function checkpointsText({ checkpoints }: Rederivation): string {
  const parts = [`${count(checkpoints.equal)} reproduced`];
  for (const { windowEndMs, ordinal, fields } of checkpoints.different) {
    const what =
      fields.length === 0
        ? 'its entry is missing'
        : fields.map(({ field, retained, rederived }) => `${field} ${retained}, recomputed ${rederived}`).join(', ');
    parts.push(`DIFFERENT at ${instant(windowEndMs)}, after entry ${count(ordinal)}: ${what}`);
  }
  if (checkpoints.awaiting > 0) parts.push(`${count(checkpoints.awaiting)} beyond the last row`);
  return parts.join('; ');
}

function signaturesText({ signatures }: Rederivation): string {
  if (signatures === null) return 'not checked: no key given';
  const parts = [`${count(signatures.valid)} valid`];
  if (signatures.unsigned > 0) parts.push(`${counted(signatures.unsigned, 'packet')} unsigned`);
  if (signatures.invalid > 0) parts.push(`${count(signatures.invalid)} INVALID`);
  if (signatures.unknownKey > 0) parts.push(`${count(signatures.unknownKey)} with an UNKNOWN KEY`);
  if (signatures.firstFaultMs !== null) parts.push(`the first at ${instant(signatures.firstFaultMs)}`);
  return parts.join(', ');
}

/** Both digests, then the paths in the body with both values. */
function differenceLines(difference: PacketDifference): readonly string[] {
  const where = `the window ending at ${instant(difference.windowEndMs)}, ${difference.packetId}`;
  switch (difference.kind) {
    case 'missing':
      return ['', `  First difference: ${where}`, '    computed from the log, but not stored'];
    case 'extra':
      return ['', `  First difference: ${where}`, '    stored, but the log gives no packet for this window'];
    case 'different': {
      const { fields, body } = difference;
      const lines = ['', `  First difference: ${where}`];
      for (const { field, retained, rederived } of fields)
        lines.push(`    ${field.padEnd(24)}stored     ${retained}`, `    ${''.padEnd(24)}recomputed ${rederived}`);
      if (body.total > 0) lines.push(`    in the packet, ${counted(body.total, 'value')} differ${body.total === 1 ? 's' : ''}:`);
      for (const { path, retained, rederived } of body.first)
        lines.push(`      ${path}`, `        stored ${shown(retained)}, recomputed ${shown(rederived)}`);
      if (body.total > body.first.length) lines.push(`      and ${count(body.total - body.first.length)} more`);
      if (body.ownIdTotal > 0) lines.push(`      plus ${counted(body.ownIdTotal, 'value')} with the packet's own id`);
      return lines;
    }
  }
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value);
}
