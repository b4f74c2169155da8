import { CHANNELS, type Channel, type FeedStatus } from '../event';
import { GAP_REASONS } from '../event-codes';
import type { Json } from '../json';
import { RowFields } from './row-fields';

const STATUS_TYPES = ['connected', 'disconnected', 'gap', 'resynced', 'seam'] as const;

/** Reads the status of a feed_status row; every fault is added to `faults`, and what comes back then means nothing. */
export function readStatus(json: Json, faults: string[]): FeedStatus {
  const fields = new RowFields(json, faults, 'status.');
  const faultsBefore = faults.length;
  const type = fields.oneOf('type', STATUS_TYPES);
  if (faults.length > faultsBefore) return { type: 'disconnected', reason: '' };
  const status = readMember(type, fields);
  fields.end();
  return status;
}

function readMember(type: (typeof STATUS_TYPES)[number], fields: RowFields): FeedStatus {
  switch (type) {
    case 'connected':
      return {
        type,
        channels: readChannels(fields),
        bookStalenessMs: fields.integer('book_staleness_ms'),
        tradeStalenessMs: fields.integer('trade_staleness_ms'),
        contextStalenessMs: fields.integer('context_staleness_ms'),
        closingLagMs: fields.integer('closing_lag_ms'),
        sourceKind: fields.oneOf('source_kind', ['live', 'recorded', 'simulated']),
      };
    case 'disconnected':
      return { type, reason: fields.text('reason') };
    case 'gap': {
      const { gapId, channel, startMs, endMs } = readSpan(fields);
      return { type, gapId, ...(channel !== undefined && { channel }), startMs, endMs, reason: fields.oneOf('reason', GAP_REASONS) };
    }
    case 'resynced': {
      const { gapId, channel, startMs, endMs } = readSpan(fields);
      return { type, gapId, ...(channel !== undefined && { channel }), startMs, endMs };
    }
    case 'seam':
      return { type, gapId: fields.name('gap_id'), startMs: fields.integer('start_ms'), endMs: fields.integer('end_ms') };
  }
}

function readSpan(fields: RowFields): { gapId: string; channel: Channel | undefined; startMs: number; endMs: number } {
  const gapId = fields.name('gap_id');
  const value = fields.value('channel');
  const channel = CHANNELS.find((known) => known === value);
  if (channel === undefined && value !== null) fields.fault('channel', `must be null or one of ${CHANNELS.join(', ')}`, undefined);
  return { gapId, channel, startMs: fields.integer('start_ms'), endMs: fields.integer('end_ms') };
}

function readChannels(fields: RowFields): Channel[] {
  const items = fields.list('channels', 0, CHANNELS.length);
  const channels = CHANNELS.filter((channel) => items.includes(channel));
  if (channels.length !== items.length) fields.fault('channels', `must hold none twice and only ${CHANNELS.join(', ')}`, []);
  return items.filter((item): item is Channel => channels.includes(item as Channel));
}
