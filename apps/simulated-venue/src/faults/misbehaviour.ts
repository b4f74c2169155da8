import type { Random } from '@market-state/scenarios';
import { type Frame, type OutFrame, type Stream, type BookFrame, COIN } from '../protocol/frames';
import type { FaultCommand } from './fault-command';

const OVERSIZED_BYTES = 1_048_577;

/** Why a reader must not take each of them, in turn. */
const KINDS: readonly ((timeMs: number) => string)[] = [
  () => '{"channel":"l2Book","data":{"coin":"SIM"',
  () => 'not even JSON',
  (time) =>
    JSON.stringify({
      channel: 'l2Book',
      data: { coin: COIN, levels: [[{ n: 1, px: 'NaN', sz: '1.0' }], [{ n: 1, px: '1500.0', sz: '1.0' }]], time },
    }),
  (time) => trade(time, '-1500.0', '1.0'),
  (time) => trade(time, '1500.0', 'Infinity'),
  (time) => trade(time, '0.0', '1.0'),
  () => JSON.stringify({ channel: 'l4Book', data: { coin: COIN } }),
  () => '[]5',
  () => `"${'x'.repeat(OVERSIZED_BYTES)}"`,
  (time) => JSON.stringify({ channel: 'bbo', data: { coin: COIN, bbo: [{ px: '1500.0' }, null], time } }),
];

/** `count` frames that are none, one kind after the other. */
function garbage(count: number, timeMs: number): string[] {
  return Array.from({ length: count }, (_, index) => KINDS[index % KINDS.length]?.(timeMs) ?? '');
}

function trade(time: number, px: string, sz: string): string {
  return JSON.stringify({ channel: 'trades', data: [{ coin: COIN, hash: '0x0', px, side: 'B', sz, tid: 1, time, users: ['0x0', '0x0'] }] });
}

/** A book whose best bid stands where its second ask does. */
function crossed(frame: Frame): Frame {
  if (frame.channel !== 'l2Book') return frame;
  const [bids, asks] = frame.data.levels;
  const px = asks[1]?.px ?? asks[0]?.px;
  const levels: BookFrame['data']['levels'] = [
    bids.map((level, place) => (place === 0 && px !== undefined ? { ...level, px } : level)),
    asks,
  ];
  return { ...frame, data: { ...frame.data, levels } };
}

const TICKS_A_UNIT = 10;

/** A frame of the book, or of trades, whose prices are off by so many ticks of 0.1. */
function mispriced(frame: Frame, channel: 'book' | 'trade', ticks: number): Frame {
  const off = <Priced extends { readonly px: string }>(priced: Priced): Priced => ({
    ...priced,
    px: ((Math.round(Number(priced.px) * TICKS_A_UNIT) + ticks) / TICKS_A_UNIT).toFixed(1),
  });
  if (channel === 'trade') return frame.channel === 'trades' ? { ...frame, data: frame.data.map(off) } : frame;
  if (frame.channel === 'bbo') {
    const [bid, ask] = frame.data.bbo;
    return { ...frame, data: { ...frame.data, bbo: [off(bid), off(ask)] } };
  }
  if (frame.channel !== 'l2Book') return frame;
  const [bids, asks] = frame.data.levels;
  return { ...frame, data: { ...frame.data, levels: [bids.map(off), asks.map(off)] } };
}

/** A context with another funding rate. */
function withFunding(frame: Frame, funding: string): Frame {
  return frame.channel === 'activeAssetCtx' ? { ...frame, data: { ...frame.data, ctx: { ...frame.data.ctx, funding } } } : frame;
}

/** The same frame at another time. Contexts have none, and candles keep theirs. */
function skewed(frame: Frame, offsetMs: number): Frame {
  switch (frame.channel) {
    case 'l2Book':
      return { ...frame, data: { ...frame.data, time: frame.data.time + offsetMs } };
    case 'bbo':
      return { ...frame, data: { ...frame.data, time: frame.data.time + offsetMs } };
    case 'trades':
      return { ...frame, data: frame.data.map((row) => ({ ...row, time: row.time + offsetMs })) };
    case 'simLiquidations':
      return { ...frame, data: frame.data.map((row) => ({ ...row, time: row.time + offsetMs })) };
    case 'activeAssetCtx':
    case 'candle':
      return frame;
  }
}

/** Text for those who subscribed to a stream, or for everyone. */
export interface OutText {
  readonly stream: Stream | 'everyone';
  readonly text: string;
}

type Lasting = Exclude<FaultCommand, { fault: 'garbage' }>;

interface Active {
  readonly command: Lasting;
  readonly untilMs: number;
  /** The funding rate that was sent last when it began. */
  readonly funding: string | undefined;
}

const BOOK_STREAMS: readonly Stream[] = ['l2Book', 'l2BookFast'];
/** Streams of a channel that can be silent; `all` is every stream. */
const SILENT_STREAMS: Readonly<Record<'book' | 'trade' | 'context', readonly Stream[]>> = {
  book: [...BOOK_STREAMS, 'bbo'],
  trade: ['trades'],
  context: ['activeAssetCtx'],
};

/**
 * What becomes of frames on their way out under the commands in force, in this order: left out, made wrong, crossed, skewed, doubled,
 * moved, held. The same commands at the same times do the same again: chance is drawn from the random numbers given.
 */
export class Misbehaviour {
  private active: Active[] = [];
  private garbage: string[] = [];
  private run: OutText[] = [];
  private held: OutText[] = [];
  private funding: string | undefined;

  constructor(private readonly random: Random) {}

  /** @param nowMs the venue's clock. @returns when it is over, milliseconds since the epoch */
  begin(command: FaultCommand, nowMs: number): number {
    if (command.fault === 'garbage') {
      this.garbage.push(...garbage(command.count, nowMs));
      return nowMs;
    }
    const untilMs = nowMs + command.duration_ms;
    this.active.push({ command, untilMs, funding: this.funding });
    return untilMs;
  }

  /** Whether connections are refused, and those there are ended. */
  isDisconnected(nowMs: number): boolean {
    return this.active.some(({ command, untilMs }) => command.fault === 'disconnect' && nowMs < untilMs);
  }

  /** True while the metadata lacks the coin. */
  isDelisted(nowMs: number): boolean {
    return this.active.some(({ command, untilMs }) => command.fault === 'delisted' && nowMs < untilMs);
  }

  /** True while nothing is pushed on a stream, not even its opening frames. */
  isSilent(stream: Stream): boolean {
    if (this.of('delisted').length > 0) return true;
    return this.of('silent').some(({ channel }) => channel === 'all' || SILENT_STREAMS[channel].includes(stream));
  }

  /** What is sent of the frames of the step that ends at `nowMs`. */
  pass(frames: readonly OutFrame[], nowMs: number): readonly OutText[] {
    const texts = [
      ...frames.flatMap((out) => this.distort(out)),
      ...this.garbage.splice(0).map((text): OutText => ({ stream: 'everyone', text })),
    ];
    const moved = this.move(texts);
    const isStalled = this.of('stall').length > 0;
    this.active = this.active.filter(({ untilMs }) => nowMs < untilMs);
    if (isStalled && this.of('stall').length > 0) {
      this.held.push(...moved);
      return [];
    }
    return [...this.held.splice(0), ...moved, ...(this.of('reorder').length === 0 ? this.shuffled() : [])];
  }

  private distort({ stream, frame }: OutFrame): OutText[] {
    if (
      this.isSilent(stream) ||
      this.of('gap').some(({ channel }) => channel === 'all' || (channel === 'book' ? BOOK_STREAMS.includes(stream) : stream === 'trades'))
    )
      return [];
    const wrong = this.falsified(frame);
    const bent = this.of('crossed').length > 0 ? crossed(wrong) : wrong;
    const offsetMs = this.of('clock_skew').reduce((sum, { offset_ms }) => sum + offset_ms, 0);
    const text: OutText = { stream, text: JSON.stringify(offsetMs === 0 ? bent : skewed(bent, offsetMs)) };
    return this.of('duplicate').some(({ share }) => this.random.chance(share)) ? [text, text] : [text];
  }

  /** What the frame says that is not true. */
  private falsified(frame: Frame): Frame {
    if (frame.channel === 'activeAssetCtx') {
      const late = this.active.find(({ command }) => command.fault === 'late_funding')?.funding;
      if (late !== undefined) return withFunding(frame, late);
      this.funding = frame.data.ctx.funding;
      return frame;
    }
    return this.of('wrong_price').reduce<Frame>((told, { channel, ticks }) => mispriced(told, channel, ticks), frame);
  }

  private move(texts: readonly OutText[]): readonly OutText[] {
    const [reorder] = this.of('reorder');
    if (reorder === undefined) return texts;
    const out: OutText[] = [];
    for (const text of texts) {
      this.run.push(text);
      if (this.run.length >= reorder.span) out.push(...this.shuffled());
    }
    return out;
  }

  private shuffled(): OutText[] {
    const left = this.run.splice(0);
    const out: OutText[] = [];
    while (left.length > 0) out.push(...left.splice(this.random.integer(0, left.length - 1), 1));
    return out;
  }

  private of<Name extends Lasting['fault']>(fault: Name): Extract<Lasting, { fault: Name }>[] {
    return this.active.flatMap(({ command }) => (command.fault === fault ? [command as Extract<Lasting, { fault: Name }>] : []));
  }
}
