import type { ConnectionStanding, MarketState, StreamMessages, Params } from '@market-state/client';
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

/** A stored packet or row, by the key under which the stream has it too. */
interface Stored<T> {
  readonly symbol: string;
  readonly key: string;
  readonly data: T;
}

type Packet = Readonly<Record<'event_id' | 'window_end_utc', string>> & Row;

/** The stored packets since an instant, of all symbols in the order of their windows. @throws CliError when that is over a day back */
async function* packetsSince(
  ms: MarketState,
  symbols: readonly string[],
  fromMs: number,
  signal: AbortSignal,
): AsyncGenerator<Stored<Row>> {
  const nowMs = Date.now();
  if (nowMs - fromMs > DAY_MS) throw badInput('--since reaches a day back for packets; market-state history has older ones.');
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

/** The stored rows since an instant, symbol by symbol, each in the order of its log. @throws CliError when that is over an hour back */
async function* rowsSince(ms: MarketState, symbols: readonly string[], channels: readonly string[], fromMs: number, signal: AbortSignal) {
  const nowMs = Date.now();
  if (nowMs - fromMs > HOUR_MS) throw badInput('--since reaches an hour back for rows; market-state replay has older ones.');
  for (const symbol of symbols) {
    const params: Params<'getReplayWindow'> = { symbol, start: new Date(fromMs).toISOString(), channels: channels.join(',') };
    for await (const data of ms.replayWindow.rows(params, { signal })) yield { symbol, key: rowKey(symbol, data), data };
  }
}

/** Names a row wherever it comes from. */
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

/** Of the credits that are left, what a stream may use at once: of a hole, what is stored costs too. It is opened again with the rest. */
const SHARE = 0.8;
const SHARE_BESIDE_PAST = 0.5;

type Message = StreamMessages['streamPackets'] | StreamMessages['streamData'];

/** Follows packets or rows until it is ended, and says then how to go on. */
function tail(settings: TailSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { channels, symbols } = settings;
    const named = symbols.length > 0 ? symbols : channels === undefined ? ['ALL'] : await defaultSymbol(session.ms, io.signal);
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

/** A stream that is followed. */
class Tail {
  private lastId: string | undefined;
  private readonly states = new Map<string, unknown>();
  private readonly had = new Set<string>();
  private readonly onConnection: (standing: ConnectionStanding) => void;

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
      if (this.lastId !== undefined) say(`go on with --since ${this.lastId}`);
    }
  }

  private async follow(): Promise<ExitCode> {
    const { since } = this.settings;
    const isFromTime = since !== undefined && 'fromMs' in since;
    let stream = this.open(since !== undefined && 'id' in since ? since.id : undefined, isFromTime ? SHARE_BESIDE_PAST : SHARE);
    // The stream begins before what is stored is read, so that nothing is missed between them.
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

  /** @param share of the credits that are left; the others pay for stored packets and rows */
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

  /** Shows a message; the exit code where it is the last one wanted. */
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
        say(`${message.symbol}: read too slowly, ${message.data.row_total} rows were left out; --since ${message.data.from_id} has them`);
        return undefined;
      case 'hole':
        say(
          `${message.symbol}: what came after ${message.afterId} is no longer kept${message.oldestUtc === null ? '' : `; the oldest is of ${message.oldestUtc}`}`,
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

  /** Ends where nobody reads any more. */
  private async wanted(isOpen: Promise<boolean>): Promise<ExitCode | undefined> {
    return (await isOpen) ? undefined : EXIT.done;
  }
}

async function defaultSymbol(ms: MarketState, signal: AbortSignal): Promise<readonly string[]> {
  const { data } = await ms.catalog.get({}, { signal });
  return data.symbols.slice(0, 1).map(({ symbol }) => symbol);
}

async function refuseUnknownState(ms: MarketState, state: string, signal: AbortSignal): Promise<void> {
  const { data } = await ms.demo.stateTaxonomy({}, { signal });
  const listed = data.taxonomy['states'];
  const states = (Array.isArray(listed) ? listed : []).filter(isRow).map((known) => String(known['value']));
  if (!states.includes(state)) throw badInput(`--until-state must be one of ${states.join(', ')}, not ${JSON.stringify(state)}`);
}

/** `tail`: packets or rows as they come. */
export function tailCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withTailOptions(new CliCommand('tail'))
    .summary('packets or rows as they come')
    .description(
      'Follows packets of all symbols or of those named, in short, or rows of --channels, until Ctrl-C, --until-state or the credits of ' +
        '--max-credits end it. It goes on after cuts and restarts of the service with nothing lost or repeated. The id to go on from is ' +
        'the last but one line on stderr. 100 messages cost a credit.',
    )
    .argument('[symbols...]', 'at most 20; without them all, for rows the first of the catalog')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state tail --changes-only\n' +
        '  $ market-state tail BTCUSD-PERP --channels trades,liquidations --output csv\n' +
        '  $ market-state tail SIMUSD-PERP --until-state fragile_depth_watch && ./notify\n',
    )
    .runs<TailSettings>(readTailSettings, (settings) => tail(settings, io), onExitCode);
}
