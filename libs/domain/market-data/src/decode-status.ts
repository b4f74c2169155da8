import type { Channel, FeedStatus } from './event';
import { CHANNEL_NAMES, GAP_REASONS, SOURCE_KIND_NAMES } from './event-codes';
import { EventDecodeError, type WireReader } from './wire-reader';

export function decodeStatus(reader: WireReader, tag: number): FeedStatus | undefined {
  switch (tag) {
    case 10:
      return readConnected(reader);
    case 18:
      return { type: 'disconnected', reason: readSpan(reader, false).text };
    case 26: {
      const { text: gapId, channel, startMs, endMs, reason } = readSpan(reader, true);
      const known = GAP_REASONS.find((candidate) => candidate === reason);
      if (known === undefined) throw new EventDecodeError('gap with an unknown reason');
      return { type: 'gap', gapId, ...(channel && { channel }), startMs, endMs, reason: known };
    }
    case 34: {
      const { text: gapId, channel, startMs, endMs } = readSpan(reader, true);
      return { type: 'resynced', gapId, ...(channel && { channel }), startMs, endMs };
    }
    case 42: {
      const { text: gapId, startMs, endMs } = readSpan(reader, false);
      return { type: 'seam', gapId, startMs, endMs };
    }
    default:
      return undefined;
  }
}

function readSpan(
  reader: WireReader,
  hasChannel: boolean,
): { text: string; channel: Channel | undefined; startMs: number; endMs: number; reason: string } {
  let text = '';
  let reason = '';
  let channel: Channel | undefined;
  let startMs = 0;
  let endMs = 0;
  const startField = hasChannel ? 3 : 2;
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 10) text = reader.string();
    else if (hasChannel && tag === 2 << 3) channel = readChannel(reader);
    else if (tag === startField << 3) startMs = reader.int64();
    else if (tag === (startField + 1) << 3) endMs = reader.int64();
    else if (tag === (((startField + 2) << 3) | 2)) reason = reader.string();
    else reader.skip(tag);
  }
  return { text, channel, startMs, endMs, reason };
}

function readConnected(reader: WireReader): FeedStatus {
  const channels: Channel[] = [];
  const integers = [0, 0, 0, 0, 0, 0, 0];
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 10) {
      const packedEnd = reader.nestedEnd();
      while (reader.isBefore(packedEnd)) channels.push(readKnownChannel(reader));
    } else if (tag === 1 << 3) channels.push(readKnownChannel(reader));
    else if ((tag & 7) === 0 && tag >> 3 <= 6) integers[tag >> 3] = reader.int64();
    else reader.skip(tag);
  }
  const [, , bookStalenessMs = 0, tradeStalenessMs = 0, contextStalenessMs = 0, closingLagMs = 0, kind = 0] = integers;
  const sourceKind = SOURCE_KIND_NAMES[kind];
  if (sourceKind === undefined) throw new EventDecodeError('connection without a source kind');
  return { type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind };
}

function readChannel(reader: WireReader): Channel | undefined {
  const code = reader.varint();
  if (code >= CHANNEL_NAMES.length) throw new EventDecodeError('unknown channel');
  return CHANNEL_NAMES[code];
}

function readKnownChannel(reader: WireReader): Channel {
  const channel = readChannel(reader);
  if (channel === undefined) throw new EventDecodeError('unspecified channel');
  return channel;
}
