import type { marketData } from '@market-state/contracts';
import { type Fault, failedPrecondition } from '@market-state/errors';
import { type Channel, CHANNELS } from '@market-state/market-data';
import { instantFaults, symbolFaults, rangeFaults } from '@market-state/request-checks';
import type { RowWindow } from '../store/row-window';
import { fromPublicChannels, PACKETS, toPublicChannel, WINDOW_CHANNELS } from './public-channels';
import type { Recorded } from '../store/recorded';
import type { Retention } from '../store/retention';

const EPOCH_MAX = 0xffff_ffff;

export function positionFaults(after: marketData.LogPosition | undefined): Fault[] {
  if (after === undefined) return [];
  return [
    ...rangeFaults('after.epoch', after.epoch, 0, EPOCH_MAX),
    ...rangeFaults('after.ordinal', after.ordinal, 0, Number.MAX_SAFE_INTEGER),
    ...instantFaults('after.packet_window_end_ms', after.packetWindowEndMs),
  ];
}

export interface WindowRequest {
  readonly symbol: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly channels: readonly string[];
  readonly asOfMs: number;
}

export function windowFaults({ symbol, startMs, endMs, channels, asOfMs }: WindowRequest, lengthMsMax: number): Fault[] {
  return [
    ...symbolFaults(symbol),
    ...spanFaults(startMs, endMs, lengthMsMax),
    ...channelFaults(channels),
    ...instantFaults('as_of_ms', asOfMs),
  ];
}

export function spanFaults(startMs: number, endMs: number, lengthMsMax: number): Fault[] {
  const faults = [...instantFaults('start_ms', startMs), ...instantFaults('end_ms', endMs)];
  if (faults.length > 0) return faults;
  if (endMs <= startMs) return [{ field: 'end_ms', message: 'must lie after start_ms', type: 'out_of_range' }];
  if (endMs <= startMs + lengthMsMax) return [];
  return [{ field: 'end_ms', message: `must lie at most ${lengthMsMax / 3_600_000} h after start_ms`, type: 'out_of_range' }];
}

function channelFaults(channels: readonly string[]): Fault[] {
  const unknown = channels.filter((channel) => !WINDOW_CHANNELS.includes(channel));
  const repeated = new Set(channels).size < channels.length;
  return [
    ...(unknown.length > 0
      ? [{ field: 'channels', message: `must contain only ${WINDOW_CHANNELS.join(', ')}`, type: 'unknown_value' }]
      : []),
    ...(repeated ? [{ field: 'channels', message: 'must not list a channel twice', type: 'repeated' }] : []),
  ];
}

/** Requested channels in canonical order; default: all that the venue provides, control and packets. */
export function wantedChannels(requested: readonly string[], reported: readonly Channel[]): string[] {
  const wanted = requested.length > 0 ? requested : [...reported.map(toPublicChannel), toPublicChannel('control'), PACKETS];
  return WINDOW_CHANNELS.filter((channel) => wanted.includes(channel));
}

export function includesUnreported(channels: readonly string[], reported: readonly Channel[]): boolean {
  return fromPublicChannels(channels).some((channel) => channel !== 'control' && !reported.includes(channel));
}

export interface Window {
  readonly symbol: string;
  readonly startMs: number;
  readonly endMs: number;
  /** In canonical order. */
  readonly channels: readonly string[];
  readonly asOfMs: number;
  /** Last entry recorded when reading began. */
  readonly toOrdinal: number;
  readonly closingLagMs: number;
}

/** Cursor in a window: an entry, with `packetWindowEndMs` as in LogPosition. */
export interface Place {
  readonly ordinal: number;
  readonly packetWindowEndMs: number;
}

export const WINDOW_START: Place = { ordinal: 0, packetWindowEndMs: 0 };

export type LogWindow = Omit<RowWindow, 'channels'>;

export function rowWindowOf({ symbol, startMs, endMs, asOfMs, toOrdinal }: LogWindow, channels: readonly Channel[]): RowWindow {
  return { symbol, startMs, endMs, channels, asOfMs, toOrdinal };
}

/** Exchange time. */
export function keptFromMs({ fromMs }: Recorded, retention: Retention, channels: readonly Channel[]): number {
  return Math.max(fromMs ?? 0, ...channels.map((channel) => retention.of(channel).archiveFromMs));
}

/** Exchange time from which any of these channels (default: all) is retained. */
function oldestMsOf({ fromMs }: Recorded, retention: Retention, channels: readonly Channel[]): number {
  const kept = channels.length === 0 ? CHANNELS : channels;
  return Math.max(fromMs ?? 0, Math.min(...kept.map((channel) => retention.of(channel).archiveFromMs)));
}

export function isKept(endMs: number, recorded: Recorded, retention: Retention, channels: readonly Channel[]): boolean {
  return endMs > oldestMsOf(recorded, retention, channels);
}

/**
 * @throws ServiceError FAILED_PRECONDITION `beyond_retention` if a span ends before any of these channels (default:
 * all) is retained
 */
export function refuseBeyondRetention(
  { symbol, endMs }: { readonly symbol: string; readonly endMs: number },
  recorded: Recorded,
  retention: Retention,
  channels: readonly Channel[],
): void {
  if (isKept(endMs, recorded, retention, channels)) return;
  const oldestMs = oldestMsOf(recorded, retention, channels);
  throw failedPrecondition('beyond_retention', `Rows of ${symbol} from before ${new Date(oldestMs).toISOString()} are not kept.`, {
    metadata: { oldest_ms: String(oldestMs) },
  });
}

/** `asOfMs` 0: now. */
export function settledInstant({ clockMs }: Recorded, asOfMs: number): number {
  const settledMs = (clockMs ?? 0) - 1;
  return Math.max(0, asOfMs === 0 ? settledMs : Math.min(asOfMs, settledMs));
}
