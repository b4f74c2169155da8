import type { ConnectionStatus, MarketState, StreamMessages, Params } from '@market-state/client';
import { CliCommand } from '../arguments/cli-command';
import { type ExitCode, badInput, EXIT } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readTailSettings, type TailSettings, withTailOptions } from '../streams/tail-settings';
import { dryRun, runClient, type Session } from '../client/run-client';
import { withLiveOutput } from '../io/line-output';
import { isRow, type Row, createRowWriter, type RowWriter, withRowWriter } from '../output/row-writer';
import { type Format, formatOf } from '../output/settings';
import { codeOfEnd, createConnectionReporter } from '../streams/ends';
import { gapRow, PACKET_COLUMNS, rowColumns, rowOf } from '../streams/message-rows';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_SECONDS = 60;
const PAGE_ROWS = 100;

/** Stored packet or row, under the key the stream uses for it. */
interface Stored<T> {
  readonly symbol: string;
  readonly key: string;
  readonly data: T;
}

type Packet = Readonly<Record<'event_id' | 'window_end_utc', string>> & Row;

/**
 * Stored packets since an instant, all symbols, in window order. @throws CliError if the instant is more than a day ago
 */
async function* packetsSince(
  ms: MarketState,
  symbols: readonly string[],
  fromMs: number,
  signal: AbortSignal,
): AsyncGenerator<Stored<Row>> {
  const nowMs = Date.now();
  if (nowMs - fromMs > DAY_MS) throw badInput('--since covers at most one day for packets; use "market-state history" for older ones.');
  const names = symbols.includes('ALL') ? await servedSymbols(ms, signal) : symbols;
  const seconds = Math.max(MINUTE_SECONDS, Math.ceil((nowMs - fromMs) / 1_000) + MINUTE_SECONDS);
  const found: Packet[] = [];
  for (const symbol of names) {
    const params = { symbol, view: 'compact', limit: PAGE_ROWS, replay_window_seconds: Math.min(seconds, DAY_MS / 1_000) } as const;
    for await (const row of ms.replay.rows(params, { signal })) found.push(row as unknown as Packet);
  }
  const since = found.filter(({ window_end_utc: end }) => Date.parse(end) >= fromMs);
  since.sort((one, other) => Date.parse(one.window_end_utc) - Date.parse(other.window_end_utc));
  for (const data of since) yield { symbol: String(data['symbol']), key: data.event_id, data };
}

/**
 * Stored rows since an instant, symbol by symbol in log order. @throws CliError if the instant is more than an hour ago
 */
async function* rowsSince(ms: MarketState, symbols: readonly string[], channels: readonly string[], fromMs: number, signal: AbortSignal) {
  const nowMs = Date.now();
  if (nowMs - fromMs > HOUR_MS) throw badInput('--since covers at most one hour for rows; use "market-state replay" for older ones.');
  for (const symbol of symbols) {
    const params: Params<'getReplayWindow'> = { symbol, start: new Date(fromMs).toISOString(), channels: channels.join(',') };
    for await (const data of ms.replayWindow.rows(params, { signal })) yield { symbol, key: rowKey(symbol, data), data };
  }
}

/** Same key for a stored and a streamed row. */
function rowKey(
  symbol: string,
  { epoch, sequence, channel }: { readonly epoch: number; readonly sequence: number; readonly channel: string },
): string {
  return `${symbol} ${epoch} ${sequence} ${channel === 'packets' ? 'packet' : 'row'}`;
}

async function servedSymbols(ms: MarketState, signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await ms.catalog.get({}, { signal });
  return data.symbols.map(({ symbol }) => symbol);
}

/** The rest pays for stored data if the stream has a gap. */
const SHARE = 0.8;
const SHARE_WITH_BACKFILL = 0.5;

type Message = StreamMessages['streamPackets'] | StreamMessages['streamData'];

/** Follows packets or rows until stopped, then prints how to resume. */
function tail(settings: TailSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { channels, symbols } = settings;
    const named =
      symbols.length > 0 ? symbols : channels === undefined ? ['ALL'] : (await servedSymbols(session.ms, io.signal)).slice(0, 1);
    if (settings.isDryRun) {
      const params = { symbol: named.join(','), ...(channels === undefined ? { view: 'compact' } : { channels: channels.join(',') }) };
      return dryRun(session, { operation: channels === undefined ? 'streamPackets' : 'streamData', params }, settings, io);
    }
    if (settings.untilState !== undefined) await refuseUnknownState(session.ms, settings.untilState, io.signal);
    const format = formatOf(settings, io.stdout);
    const columns = settings.fields ?? (channels === undefined ? PACKET_COLUMNS : rowColumns(format, channels));
    return withLiveOutput(io, async (output) => {
      const writer = createRowWriter(output, { format, columns, areChosen: settings.fields !== undefined, isLive: true });
      return withRowWriter(writer, () => new Tail(session, settings, named, writer, format, io.signal).run());
    });
  });
}

class Tail {
  private lastId: string | undefined;
  private readonly states = new Map<string, unknown>();
  private readonly had = new Set<string>();
  private readonly onConnection: (standing: ConnectionStatus) => void;

  constructor(
    private readonly session: Session,
    private readonly settings: TailSettings,
    private readonly symbols: readonly string[],
    private readonly writer: RowWriter,
    private readonly format: Format,
    private readonly signal: AbortSignal,
  ) {
    this.onConnection = createConnectionReporter(session);
  }

  async run(): Promise<ExitCode> {
    const { say } = this.session;
    try {
      return await this.follow();
    } catch (error) {
      if (this.signal.aborted) return EXIT.interrupted;
      throw error;
    } finally {
      if (this.lastId !== undefined) say(`resume with --since ${this.lastId}`);
    }
  }

  private async follow(): Promise<ExitCode> {
    const { since } = this.settings;
    const isFromTime = since !== undefined && 'fromMs' in since;
    let stream = this.open(since !== undefined && 'id' in since ? since.id : undefined, isFromTime ? SHARE_WITH_BACKFILL : SHARE);
    // Starts the stream before reading stored data, so that nothing is missed in between.
    const first = stream.next();
    first.catch(() => undefined);
    try {
      if (isFromTime)
        for await (const stored of this.past(since.fromMs)) {
          this.had.add(stored.key);
          if (!(await this.show(stored.symbol, stored.data))) return EXIT.done;
        }
      for (let next = await first; next.done !== true; next = await stream.next()) {
        if (next.value.type === 'end' && next.value.code === 'credits_exhausted' && this.hasCredits()) {
          await stream.return(undefined);
          stream = this.open(this.lastId, SHARE);
          continue;
        }
        const ended = await this.take(next.value);
        if (ended !== undefined) return ended;
      }
      return EXIT.done;
    } finally {
      await stream.return(undefined);
    }
  }

  private hasCredits(): boolean {
    return (this.session.ms.budgetLeft ?? 0) > 0;
  }

  /** @param share fraction of the remaining credits; the rest pays for stored packets and rows */
  private open(resumeFrom: string | undefined, share: number): AsyncGenerator<Message, void, undefined> {
    const { channels } = this.settings;
    const { ms } = this.session;
    const options = {
      signal: this.signal,
      maxCredits: Math.max(1, Math.floor((ms.budgetLeft ?? 0) * share)),
      onConnection: this.onConnection,
    };
    if (channels === undefined) return ms.stream.packets({ symbols: this.symbols, view: 'compact', resumeFrom }, options);
    return ms.stream.data({ symbols: this.symbols, channels, resumeFrom }, options);
  }

  private past(fromMs: number): AsyncGenerator<Stored<Row>> {
    const { channels } = this.settings;
    const { ms } = this.session;
    if (channels === undefined) return packetsSince(ms, this.symbols, fromMs, this.signal);
    return this.shownRows(rowsSince(ms, this.symbols, channels, fromMs, this.signal));
  }

  private async *shownRows(rows: ReturnType<typeof rowsSince>): AsyncGenerator<Stored<Row>> {
    for await (const { symbol, key, data } of rows) yield { symbol, key, data: rowOf(symbol, data, this.format) };
  }

  /** Returns the exit code if this is the last message wanted. */
  private async take(message: Message): Promise<ExitCode | undefined> {
    const { say } = this.session;
    switch (message.type) {
      case 'packet':
        this.lastId = message.id;
        return this.packet(message.symbol, message.data as unknown as Row);
      case 'row':
        this.lastId = message.id;
        if (this.had.delete(rowKey(message.symbol, message.data))) return undefined;
        return this.wanted(this.show(message.symbol, rowOf(message.symbol, message.data, this.format)));
      case 'gap':
        this.lastId = message.id;
        return this.wanted(this.show(message.symbol, gapRow(message.symbol, message.data, this.format)));
      case 'backfill':
        return 'channel' in message.data
          ? this.wanted(this.show(message.symbol, rowOf(message.symbol, message.data, this.format)))
          : this.packet(message.symbol, message.data as unknown as Row);
      case 'skipped':
        say(`${message.symbol}: reader too slow, ${message.data.row_total} rows skipped; get them with --since ${message.data.from_id}`);
        return undefined;
      case 'hole':
        say(
          `${message.symbol}: messages after ${message.afterId} are no longer retained${message.oldestUtc === null ? '' : `; the oldest is from ${message.oldestUtc}`}`,
        );
        return undefined;
      case 'end':
        this.lastId = message.resumeId ?? this.lastId;
        say(`the service ended the stream: ${message.code}`);
        return codeOfEnd(message.code);
      case 'conflated':
        return undefined;
    }
  }

  private async packet(symbol: string, packet: Row): Promise<ExitCode | undefined> {
    if (this.had.delete(String(packet['event_id']))) return undefined;
    const isOpen = await this.show(symbol, packet);
    return isOpen && packet['state'] !== this.settings.untilState ? undefined : EXIT.done;
  }

  private async show(symbol: string, row: Row): Promise<boolean> {
    const isSame = this.states.get(symbol) === row['state'];
    this.states.set(symbol, row['state']);
    return this.settings.isChangesOnly && isSame ? true : this.writer.write(row);
  }

  /** Ends once the reader is gone. */
  private async wanted(isOpen: Promise<boolean>): Promise<ExitCode | undefined> {
    return (await isOpen) ? undefined : EXIT.done;
  }
}

async function refuseUnknownState(ms: MarketState, state: string, signal: AbortSignal): Promise<void> {
  const { data } = await ms.demo.stateTaxonomy({}, { signal });
  const listed = data.taxonomy['states'];
  const states = (Array.isArray(listed) ? listed : []).filter(isRow).map((known) => String(known['value']));
  if (!states.includes(state)) throw badInput(`--until-state must be one of ${states.join(', ')}, not ${JSON.stringify(state)}`);
}

export function tailCommand(): CliCommand {
  return withTailOptions(new CliCommand('tail'))
    .summary('stream packets or rows as they arrive')
    .description(
      'Follows packets of all or the named symbols, or rows of --channels, until Ctrl-C, --until-state or the credit limit of ' +
        '--max-credits. Reconnects after interruptions and restarts of the service without losing or repeating messages. The id to resume from is ' +
        'on the second-to-last line of stderr. 100 messages cost one credit.',
    )
    .argument('[symbols...]', 'up to 20 symbols (default: all for packets, the first in the catalog for rows)')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state tail --changes-only\n' +
        '  $ market-state tail BTCUSD-PERP --channels trades,liquidations --output csv\n' +
        '  $ market-state tail SIMUSD-PERP --until-state fragile_depth_watch && ./notify\n',
    )
    .runs<TailSettings>(readTailSettings, tail);
}
