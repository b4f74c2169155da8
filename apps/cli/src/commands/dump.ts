import {
  signingKeyLine,
  beginningOf,
  CHECKPOINT_SCHEMA,
  checkpointLine,
  type Policy,
  type RetainedCheckpoint,
  stateAt,
  type SymbolSource,
  canonicalJson,
  LineError,
  PACKET_ROW_SCHEMA,
  packetRowLine,
  readPacketRow,
  type RetainedPacket,
} from '@market-state/labeler';
import { marketFields, type MarketEvent, rowLine, WINDOW_MS } from '@market-state/market-data';
import { CliCommand } from '../arguments/cli-command';
import { choiceOption, textOption } from '../arguments/values';
import { EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import { withOutput, type LineOutput } from '../io/line-output';
import { createProgress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { parsedRow } from '../output/row-writer';
import { readSystemSettings, type SystemSettings, withCliErrors, withSystemOptions } from '../verify/verify-settings';

/** A window ending at T closes at the first tick whose clock is at or after T plus the closing lag. */
class ClosedWindows {
  /**
   * @param untilMs windows that end up to here are already closed
   * @param lagMs current closing lag; null until one is reported, and ticks are ignored until then
   */
  constructor(
    private untilMs: number,
    private lagMs: number | null,
  ) {}

  take(event: MarketEvent): void {
    if (event.kind === 'tick' && this.lagMs !== null) this.untilMs = Math.max(this.untilMs, event.feedClockMs - this.lagMs);
    if (event.kind === 'feed_status' && event.status.type === 'connected') this.lagMs = event.status.closingLagMs;
  }

  has(windowEndMs: number): boolean {
    return windowEndMs <= this.untilMs;
  }
}

/**
 * Fields its store does not report are null, but the body has the previous lineage digest.
 * @throws CliError (incomplete) if the line would not reproduce the retained packet
 */
async function retainedPacketLine(retained: RetainedPacket): Promise<string> {
  const text = await retained.readBody();
  const packet = parsedRow(text);
  if (packet === undefined || canonicalJson(packet) !== text) throw noRow(retained, ['its body is not RFC 8785 JSON']);
  try {
    const row = readPacketRow({
      schema: PACKET_ROW_SCHEMA,
      ...marketFields(retained.symbol),
      window_end_ms: retained.windowEndMs,
      packet_id: retained.packetId,
      event_id: retained.eventId,
      input_digest: retained.inputDigest,
      policy_digest: retained.policyDigest,
      previous_lineage_digest: retained.previousLineageDigest ?? packet['previous_lineage_digest'],
      packet_digest: retained.packetDigest,
      lineage_digest: retained.lineageDigest,
      source_kind: retained.sourceKind,
      closing_ordinal: retained.closingOrdinal,
      headline: retained.headline,
      customer_next_step: retained.customerNextStep,
      signature: retained.signature,
      signing_key_id: retained.signingKeyId,
      packet,
    });
    return packetRowLine(row);
  } catch (error) {
    if (error instanceof LineError) throw noRow(retained, error.faults);
    throw error;
  }
}

function noRow({ symbol, windowEndMs, packetId }: RetainedPacket, faults: readonly string[]): Error {
  return incomplete(
    ...faults.map(
      (fault) =>
        `${symbol}: the packet retained for the window ending at ${instant(windowEndMs)}, ${packetId}, is not a valid row: ${fault}.`,
    ),
    'Run "market-state verify" without files for details.',
  );
}

/** Totals written for one symbol. */
export interface Dumped {
  readonly entryTotal: number;
  readonly packetTotal: number;
  readonly checkpointTotal: number;
  /** Newest packets left out until the entries that close their windows are recorded. */
  readonly awaitingTotal: number;
  /** Packets up to this window end belong to another policy's chain and are left out. */
  readonly otherChainUntilMs: number | null;
}

interface DumpOptions {
  readonly policy: Policy;
  readonly onProgress: (entryTotal: number) => void;
}

/**
 * The starting checkpoint, every later entry, the checkpoints along the way and every packet. Null if the reader is
 * gone.
 */
export async function dumpSymbol(source: SymbolSource, { policy, onProgress }: DumpOptions, output: LineOutput): Promise<Dumped | null> {
  const { start, otherChainUntilMs, span, checkpoints } = beginningOf(source, policy);
  const state = await stateAt(start, source, policy);
  if (typeof state === 'string') throw incomplete(`${source.symbol}: the starting checkpoint is invalid: ${state}`);
  if (start !== null && !(await output.write(await lineOf(start, source)))) return null;

  const closed = new ClosedWindows(start?.window_end_ms ?? 0, state.log.closingLagMs);
  const end = { windowEndMs: Math.ceil(span.toMs / WINDOW_MS) * WINDOW_MS - WINDOW_MS, ordinal: checkpoints.at(-1)?.ordinal ?? 0 };
  let entryTotal = 0;
  let lastOrdinal = start?.ordinal ?? 0;
  for await (const entries of entriesUpTo(end, source.entries(lastOrdinal), closed)) {
    entryTotal += entries.length;
    lastOrdinal = entries.at(-1)?.ordinal ?? lastOrdinal;
    onProgress(entryTotal);
    if (!(await output.write(...entries.map(rowLine)))) return null;
  }

  const met = checkpoints.filter(({ ordinal }) => ordinal <= lastOrdinal);
  for (const checkpoint of met) if (!(await output.write(await lineOf(checkpoint, source)))) return null;

  let packetTotal = 0;
  let awaitingTotal = 0;
  for await (const packet of source.packets(span)) {
    if (!closed.has(packet.windowEndMs)) {
      awaitingTotal++;
      continue;
    }
    packetTotal++;
    if (!(await output.write(await retainedPacketLine(packet)))) return null;
  }
  return { entryTotal, packetTotal, checkpointTotal: met.length + (start === null ? 0 : 1), awaitingTotal, otherChainUntilMs };
}

/** Entries up to the ordinal or the one that closes the window, whichever is later; all entries if they end before. */
async function* entriesUpTo(
  end: { readonly windowEndMs: number; readonly ordinal: number },
  batches: AsyncIterable<readonly MarketEvent[]>,
  closed: ClosedWindows,
): AsyncGenerator<readonly MarketEvent[]> {
  for await (const batch of batches) {
    const last = batch.findIndex((event) => {
      closed.take(event);
      return closed.has(end.windowEndMs) && event.ordinal >= end.ordinal;
    });
    yield last < 0 ? batch : batch.slice(0, last + 1);
    if (last >= 0) return;
  }
}

async function lineOf(checkpoint: RetainedCheckpoint, source: SymbolSource): Promise<string> {
  const state = Buffer.from(await source.stateGzip(checkpoint)).toString('base64');
  return checkpointLine({ schema: CHECKPOINT_SCHEMA, ...checkpoint, state });
}

const FORMATS = ['ndjson', 'json'] as const;

interface DumpSettings extends SystemSettings {
  readonly format: (typeof FORMATS)[number];
  readonly out?: string;
}

export function dumpCommand(): CliCommand {
  return withSystemOptions(new CliCommand('dump'))
    .summary('write what a running system stores for a span, to verify it elsewhere')
    .description(
      'Writes the public keys, log entries, checkpoints and packets of a span as a running system stores them, one per line. ' +
        'market_state_signing_key.v1, market_state_row.v1, market_state_checkpoint.v1, market_state_packet_row.v1.\n' +
        'As with verify, the default span is the hour up to the newest packet, and entries start at the newest ' +
        'checkpoint before the span. A --from at or before the first packet starts at the first log entry.\n' +
        'Packets whose last entries are not recorded yet are left out and counted on stderr.',
    )
    .outputOption('output format: ndjson or json (one list)', FORMATS, 'ndjson')
    .option('--out <file>', 'write to this file instead of stdout; compressed if the name ends in .gz')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state dump --out dump.ndjson.gz && market-state verify dump.ndjson.gz\n' +
        '  $ market-state dump --from 0 --out dump.ndjson && python3 tools/reference/label.py dump.ndjson --compare dump.ndjson\n',
    )
    .runs<DumpSettings>(
      (operands, options, fault) => {
        for (const operand of operands) fault(`dump takes no files: ${operand}`);
        return {
          ...readSystemSettings(options, fault),
          out: textOption(options, 'out'),
          format: choiceOption(options, 'output', FORMATS, fault),
        };
      },
      (settings, io) => withCliErrors(() => dump(settings, io)),
    );
}

async function dump(settings: DumpSettings, io: CliIo): Promise<ExitCode> {
  const policy = await readPolicy(settings.policy, io.cwd);
  using progress = createProgress(io);
  const { withSystemSources } = await import('../verify/system-sources');
  await withOutput(
    io,
    settings.out,
    (output) =>
      withSystemSources(settings, io, async (sources) => {
        await output.write(...[...(await sources.keys()).values()].map(signingKeyLine));
        for await (const source of sources.symbols) {
          const onProgress = (entryTotal: number): void => progress.report(() => `${source.symbol}: ${count(entryTotal)} entries`);
          const dumped = await dumpSymbol(source, { policy, onProgress }, output);
          if (dumped === null) return;
          progress.end();
          io.stderr.write(
            describe(dumped)
              .map((sentence) => `${source.symbol}: ${sentence}\n`)
              .join(''),
          );
        }
      }),
    settings.format === 'json',
  );
  return EXIT.done;
}

function describe({ entryTotal, packetTotal, checkpointTotal, awaitingTotal, otherChainUntilMs }: Dumped): readonly string[] {
  const sentences = [
    `${counted(entryTotal, 'entry', 'entries')}, ${counted(packetTotal, 'packet')}, ${counted(checkpointTotal, 'checkpoint')}`,
  ];
  if (awaitingTotal > 0)
    sentences.push(`${counted(awaitingTotal, 'newest packet')} left out: the entries that close their windows are not recorded yet`);
  if (otherChainUntilMs !== null)
    sentences.push(`packets up to ${instant(otherChainUntilMs)} left out: they belong to another policy's chain`);
  return sentences;
}
