import type { Random } from '@market-state/scenarios';
import type { Frame, OutFrame, Stream } from '../protocol/frames';
import { crossed, mispriced, skewed, withFunding } from './distort';
import type { FaultCommand } from './fault-command';
import { garbage } from './garbage';

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
