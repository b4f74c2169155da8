import type { Random } from '@market-state/scenarios';
import { type Frame, type OutFrame, type Stream, type BookFrame, COIN } from '../protocol/frames';
import type { FaultCommand } from './fault-command';

const OVERSIZED_BYTES = 1_048_577;

/** Invalid frames, each for a different reason. */
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

function garbage(count: number, timeMs: number): string[] {
  return Array.from({ length: count }, (_, index) => KINDS[index % KINDS.length]?.(timeMs) ?? '');
}

function trade(time: number, px: string, sz: string): string {
  return JSON.stringify({ channel: 'trades', data: [{ coin: COIN, hash: '0x0', px, side: 'B', sz, tid: 1, time, users: ['0x0', '0x0'] }] });
}

/** Moves the best bid to the second ask. */
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

function withFunding(frame: Frame, funding: string): Frame {
  return frame.channel === 'activeAssetCtx' ? { ...frame, data: { ...frame.data, ctx: { ...frame.data.ctx, funding } } } : frame;
}

/** Contexts have no time, and candles keep theirs. */
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

export interface OutText {
  readonly stream: Stream | 'everyone';
  readonly text: string;
}

type Lasting = Exclude<FaultCommand, { fault: 'garbage' }>;

interface Active {
  readonly command: Lasting;
  readonly untilMs: number;
  /** Last funding rate sent before the fault. */
  readonly funding: string | undefined;
}

const BOOK_STREAMS: readonly Stream[] = ['l2Book', 'l2BookFast'];
/** `all` is every stream. */
const SILENT_STREAMS: Readonly<Record<'book' | 'trade' | 'context', readonly Stream[]>> = {
  book: [...BOOK_STREAMS, 'bbo'],
  trade: ['trades'],
  context: ['activeAssetCtx'],
};

/**
 * Applies the active faults to outgoing frames, in this order: drop, falsify, cross, skew, duplicate, reorder, hold.
 * Deterministic by commands, times and random numbers.
 */
export class Misbehaviour {
  private active: Active[] = [];
  private garbage: string[] = [];
  private run: OutText[] = [];
  private held: OutText[] = [];
  private funding: string | undefined;

  constructor(private readonly random: Random) {}

  /**
   * @param nowMs venue clock
   * @returns epoch milliseconds of the fault's end
   */
  begin(command: FaultCommand, nowMs: number): number {
    if (command.fault === 'garbage') {
      this.garbage.push(...garbage(command.count, nowMs));
      return nowMs;
    }
    const untilMs = nowMs + command.duration_ms;
    this.active.push({ command, untilMs, funding: this.funding });
    return untilMs;
  }

  isDisconnected(nowMs: number): boolean {
    return this.active.some(({ command, untilMs }) => command.fault === 'disconnect' && nowMs < untilMs);
  }

  isDelisted(nowMs: number): boolean {
    return this.active.some(({ command, untilMs }) => command.fault === 'delisted' && nowMs < untilMs);
  }

  /** True while nothing is pushed on the stream, not even opening frames. */
  isSilent(stream: Stream): boolean {
    if (this.of('delisted').length > 0) return true;
    return this.of('silent').some(({ channel }) => channel === 'all' || SILENT_STREAMS[channel].includes(stream));
  }

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

  private falsified(frame: Frame): Frame {
    if (frame.channel === 'activeAssetCtx') {
      const late = this.active.find(({ command }) => command.fault === 'late_funding')?.funding;
      if (late !== undefined) return withFunding(frame, late);
      this.funding = frame.data.ctx.funding;
      return frame;
    }
    return this.of('wrong_price').reduce<Frame>((reported, { channel, ticks }) => mispriced(reported, channel, ticks), frame);
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
