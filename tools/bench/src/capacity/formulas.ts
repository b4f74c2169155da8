import type { Measured } from './figures';

const DAY_SECONDS = 86_400;
const PACKETS_A_DAY = 8_640;
const CHECKPOINTS_A_DAY = 96;
const LOG_SECONDS = 75 * 60;
const HOURS_A_DAY = 24;
/** Days that rows are in Postgres unless it is set, and the one under way. */
const HOT_DAYS = 3 + 1;
const GB = 1e9;

/** Share of a core that a process is given work for: the rest is for peaks, and for what a neighbour that is down leaves it. */
export const GATEWAY_SHARE = 0.6;
export const LABELING_SHARE = 0.5;

/** What it takes to serve one symbol, by what was measured. */
export function perSymbol(measured: Measured) {
  const { label, resting } = measured;
  const labelerShare = (PACKETS_A_DAY * label.packetMs) / 1_000 / DAY_SECONDS + (measured.entriesPerSecond * label.eventUs) / 1e6;
  const rowsADay = DAY_SECONDS * measured.rowsPerSecond * measured.payloadBytesARow * measured.diskFactor;
  const packetsADay = PACKETS_A_DAY * (measured.packetBytes + measured.eventIndexBytes) + CHECKPOINTS_A_DAY * measured.checkpointBytes;
  return {
    redisGb: (LOG_SECONDS * measured.entriesPerSecond * measured.redisBytesAnEntry) / GB,
    rowsGbADay: rowsADay / GB,
    hotRowsGb: (rowsADay * HOT_DAYS) / GB,
    packetsGbADay: packetsADay / GB,
    archiveGbADay: (HOURS_A_DAY * measured.archiveBytesAnHour) / GB,
    /** Of a core, by the labeler alone. */
    labelerShare,
    /** Of a core, all of our processes and both stores, with nobody asking. */
    restingShare: Object.values(resting).reduce((sum, share) => sum + share, 0),
    labelingCores: resting.labeling / LABELING_SHARE,
  };
}

/** What so many reads of `latest` a second take. */
export function perReads({ latest }: Measured, perSecond: number) {
  return {
    cores: (perSecond * latest.cpuUs) / 1e6 / GATEWAY_SHARE,
    gbPerSecond: (perSecond * latest.bytes) / GB,
  };
}

/** What so many webhook deliveries a second take. */
export function perDeliveries({ webhooks }: Measured, perSecond: number) {
  return { processes: Math.ceil(perSecond / webhooks.perSecond), rowsGbADay: (perSecond * DAY_SECONDS * webhooks.rowBytes) / GB };
}

/** What so many readers of one symbol's stream of packets take. */
export function perReaders({ readers }: Measured, total: number) {
  const packetsPerSecond = PACKETS_A_DAY / DAY_SECONDS;
  return { cores: (total * packetsPerSecond * readers.cpuUs) / 1e6 / GATEWAY_SHARE, mib: (total * readers.kib) / 1_024 };
}

/** Where something cannot grow any more, as one core or one server is at its end. */
export function ceilings(measured: Measured) {
  const { posts, resting, entriesPerSecond } = measured;
  return {
    /** Batches of charges a second that one core of account takes, and gateways that post so many. */
    postsPerSecond: 1_000 / posts.cpuMs,
    gateways: 1_000 / posts.cpuMs / posts.perSecond,
    /** Symbols of this kind that one labeling process, and one Redis node, have room for. */
    labelingSymbols: LABELING_SHARE / resting.labeling,
    redisSymbols: 1 / resting.redis,
    redisEntriesPerSecond: entriesPerSecond / resting.redis,
  };
}
