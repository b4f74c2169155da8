import {
  type Channel,
  ClockOffsets,
  type ExpectedMessages,
  type GapReason,
  type LivePlayer,
  type PlacedEvent,
  type PlayedInstrument,
  venueOf,
} from '@market-state/market-data';
import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { count, counted } from '../io/instant';
import { createProgress } from '../io/progress';
import { wholeTable } from '../io/table';
import { followVenue, type Players } from '../live/follow-venue';
import { type LiveSettings, openSource, readLiveSettings, withLiveOptions } from '../live/live-settings';
import { writeResult } from '../output/settings';

/** Normal rejections: a repeat, an older book, a trade id without a trade, a book whose snapshot is used up. */
const USUAL_REASONS: readonly string[] = ['duplicate', 'stale_snapshot', 'no_trade', 'beyond_snapshot'];
const SAMPLES_MAX = 10_000;

type TimedChannel = 'book' | 'trade' | 'context';

export class LogWatch {
  private readonly lastMs = new Map<Channel, number>();
  private readonly longestMs = new Map<Channel, number>();
  private readonly lagsMs: number[] = [];
  private gapTotal = 0;
  /** Includes messages that were rejected because of their timestamps. */
  readonly clocks = new ClockOffsets();
  entryTotal = 0;

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly startMs: number,
  ) {}

  take(entries: readonly PlacedEvent[]): void {
    for (const { event } of entries) {
      if (event.kind === 'feed_status' && event.status.type === 'gap') this.countGap(event.status.reason);
      if (event.kind === 'tick' || event.kind === 'feed_status') continue;
      this.entryTotal++;
      this.heard(event.kind, event.receivedTsMs);
      if (event.kind === 'book' && this.lagsMs.length < SAMPLES_MAX) this.lagsMs.push(event.receivedTsMs - event.exchangeTsMs);
    }
  }

  private countGap(reason: GapReason): void {
    if (reason === 'arrived_late') this.gapTotal--;
    else if (reason !== 'disconnected') this.gapTotal++;
  }

  /** From a book's exchange time to its log time; negative if the venue's clock is ahead. Trades may be a backlog. */
  get lagMs(): number | undefined {
    return [...this.lagsMs].sort((a, b) => a - b)[Math.floor(this.lagsMs.length / 2)];
  }

  differences(player: LivePlayer | undefined, endMs: number): readonly string[] {
    const clocks = this.clocks.sentence();
    const refused = Object.entries(player?.rejections ?? {}).filter(([reason, total]) => total > 0 && !USUAL_REASONS.includes(reason));
    return [
      ...this.silences(endMs),
      ...(clocks === undefined ? [] : [clocks]),
      ...refused.map(([reason, total]) => `rejected: ${reason}, ${counted(total, 'time')}`),
      ...(this.gapTotal > 0 ? [`${counted(this.gapTotal, 'gap')} in the message sequence`] : []),
    ];
  }

  private silences(endMs: number): string[] {
    const { bookStalenessMs, tradeStalenessMs, contextStalenessMs, channels } = this.instrument;
    const limits: Readonly<Record<TimedChannel, number>> = { book: bookStalenessMs, trade: tradeStalenessMs, context: contextStalenessMs };
    return (Object.keys(limits) as TimedChannel[]).flatMap((channel) => {
      if (!channels.includes(channel)) return [];
      this.heard(channel, endMs);
      const longest = this.longestMs.get(channel) ?? 0;
      return longest > limits[channel]
        ? [`${channel}: silent for ${(longest / 1_000).toFixed(1)} s; stale after ${limits[channel] / 1_000} s`]
        : [];
    });
  }

  private heard(channel: Channel, atMs: number): void {
    const silentMs = atMs - (this.lastMs.get(channel) ?? this.startMs);
    this.longestMs.set(channel, Math.max(this.longestMs.get(channel) ?? 0, silentMs));
    this.lastMs.set(channel, atMs);
  }
}

/** Paths of leaf fields. All list items count. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    const inner = (value as unknown[]).filter((member) => typeof member === 'object' && member !== null);
    const fields = [...new Set(inner.flatMap((member) => fieldsOf(member, path)))];
    return fields.length > 0 || path === '' ? fields : [path];
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, path === '' ? name : `${path}.${name}`));
}

/** Messages per kind whose fields are checked; later ones are only counted. */
const LOOKED_AT = 200;

interface KindTally {
  total: number;
  readonly unknownFields: Map<string, number>;
}

/** Counts a symbol's messages by kind and records what the adapter does not know. */
export class MessageTally {
  private readonly kinds = new Map<string, KindTally>();
  private readonly expected: ExpectedMessages;
  private unreadable = 0;

  /** @throws RangeError if the venue has no known live messages */
  constructor(venue: string) {
    const expected = venueOf(venue)?.live?.expected;
    if (expected === undefined) throw new RangeError(`${venue} has no known live messages`);
    this.expected = expected;
  }

  take(text: string): void {
    const message = parsed(text);
    if (message === undefined) {
      this.unreadable++;
      return;
    }
    const found = this.expected.kindOf(message);
    if (found === undefined) return;
    const tally = this.kinds.get(found.kind) ?? { total: 0, unknownFields: new Map<string, number>() };
    this.kinds.set(found.kind, tally);
    if (tally.total++ >= LOOKED_AT) return;
    const known = this.expected.messages[found.kind]?.fields;
    if (known === undefined) return;
    for (const field of fieldsOf(found.body))
      if (!known.includes(field)) tally.unknownFields.set(field, (tally.unknownFields.get(field) ?? 0) + 1);
  }

  get totals(): readonly (readonly [kind: string, total: number])[] {
    return [...this.kinds].map(([kind, { total }]) => [kind, total]);
  }

  /** One sentence per expected kind that was never received. */
  get missing(): readonly string[] {
    return Object.entries(this.expected.messages).flatMap(([kind, { isRare }]) =>
      isRare !== true && !this.kinds.has(kind) ? [`no ${kind} message received`] : [],
    );
  }

  /** One sentence per unknown kind, unknown field and unreadable input. */
  get unknown(): readonly string[] {
    const { messages } = this.expected;
    const unknown = [...this.kinds].flatMap(([kind, { total, unknownFields }]) => {
      if (!(kind in messages)) return [`unknown message kind ${kind}, received ${counted(total, 'time')}`];
      return [...unknownFields].map(
        ([field, times]) => `${kind} has an unknown field ${field}, in ${times} of the first ${Math.min(total, LOOKED_AT)}`,
      );
    });
    return [...unknown, ...(this.unreadable > 0 ? [`input that is not JSON, received ${counted(this.unreadable, 'time')}`] : [])];
  }
}

/** A list, such as a REST response, counts as an object without fields. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? { channel: 'pong' }
        : (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

const SECONDS = 60;

export function doctorCommand(): CliCommand {
  return withLiveOptions(new CliCommand('doctor'))
    .summary('check a live venue against what its adapter expects')
    .description(
      'Follows a venue as the service would and reports anything its adapter does not expect: unknown message kinds and fields, ' +
        'expected kinds that\n' +
        'never arrive, silences beyond the limits, clock offsets, gaps, lost connections, and input rejected by reason. Also ' +
        'counts the messages received.\n' +
        'Exits with 0 if nothing differs, 1 if something does, 3 if the venue is unreachable. Needs no running system and no key.',
    )
    .option('--seconds <number>', 'how long to watch', String(SECONDS))
    .addHelpText('after', '\nExample:\n  $ market-state doctor --venue binance-usdm --symbols SOLUSD-PERP\n')
    .runs<LiveSettings>(readLiveSettings, watch);
}

async function watch({ venue, url, instruments, seconds = SECONDS, format }: LiveSettings, io: CliIo): Promise<ExitCode> {
  const startMs = Date.now();
  const tallies = new Map(instruments.map(({ symbol }) => [symbol, new MessageTally(venue)]));
  const watches = new Map(instruments.map((instrument) => [instrument.symbol, new LogWatch(instrument, startMs)]));
  const others = new MessageTally(venue);
  const differences: string[] = [];
  const progress = createProgress(io);
  let players: Players;
  try {
    players = await followVenue(
      { source: openSource(venue, url, instruments), instruments, seconds, signal: io.signal },
      {
        onMessage(symbol, { text }) {
          tallies.get(symbol)?.take(text);
          progress.report(() => `${Math.round((Date.now() - startMs) / 1_000)} of ${seconds} s`);
        },
        onTimes: (symbol, receivedMs, times) => watches.get(symbol)?.clocks.add(receivedMs, times),
        onOther: ({ text }) => others.take(text),
        onEntries: (symbol, entries) => watches.get(symbol)?.take(entries),
        onMissing: (symbol, reason) => differences.push(`${symbol}: no data: ${reason}`),
        onSilent: (symbol, reason) => differences.push(`${symbol}: ${reason} although the venue responds; resubscribed`),
        onLost: (reason) => differences.push(`connection lost: ${reason}`),
        onNoBook: (symbol, reason) => differences.push(`${symbol}: no complete book: ${reason}`),
      },
    );
  } finally {
    progress.end();
  }
  io.signal.throwIfAborted();
  const endMs = Date.now();
  for (const { symbol } of instruments) {
    const tally = tallies.get(symbol);
    const found = [
      ...(tally?.missing ?? []),
      ...(tally?.unknown ?? []),
      ...(watches.get(symbol)?.differences(players.get(symbol), endMs) ?? []),
    ];
    differences.push(...found.map((sentence) => `${symbol}: ${sentence}`));
  }
  differences.push(...others.unknown);
  const verdict =
    differences.length === 0
      ? 'no differences from what the adapter expects'
      : `${counted(differences.length, 'difference')} from what the adapter expects`;
  const messages = [...tallies].flatMap(([symbol, { totals }]) => totals.map(([kind, total]) => ({ symbol, kind, total })));
  const books = [...watches].map(([symbol, { lagMs, entryTotal }]) => ({ symbol, log_entries: entryTotal, book_delay_ms: lagMs ?? null }));
  writeResult(io, format, { venue, span_ms: endMs - startMs, messages, books, differences }, [
    ...report(tallies, watches, (endMs - startMs) / 1_000),
    `${venue}: ${verdict}`,
    ...differences.map((difference) => `  ${difference}`),
  ]);
  return differences.length === 0 ? EXIT.done : EXIT.different;
}

function report(tallies: ReadonlyMap<string, MessageTally>, watches: ReadonlyMap<string, LogWatch>, seconds: number): readonly string[] {
  const rows = [...tallies].flatMap(([symbol, tally]) =>
    tally.totals.map(([kind, total]) => [symbol, kind, count(total), (total / seconds).toFixed(1)]),
  );
  const lags = [...watches].map(
    ([symbol, { lagMs, entryTotal }]) =>
      `${symbol}: ${counted(entryTotal, 'log entry', 'log entries')}; median book delay ${lagMs ?? '-'} ms`,
  );
  return [...wholeTable(['symbol', 'kind', 'messages', 'a second'], rows, 2), ...lags];
}
