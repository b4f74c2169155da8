import type { Measured, Resting, ScaleFigures } from './measurements';

const DAY_SECONDS = 86_400;
const PACKETS_A_DAY = 8_640;
const CHECKPOINTS_A_DAY = 96;
const LOG_SECONDS = 75 * 60;
const HOURS_A_DAY = 24;
/** Default days of rows in Postgres, plus the current one. */
const HOT_DAYS = 3 + 1;
const GB = 1e9;

/** Target utilization of a core: the rest is for peaks, and for the work of a failed peer. */
const GATEWAY_SHARE = 0.6;
const LABELING_SHARE = 0.5;

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
    labelerShare,
    restingShare: Object.values(resting).reduce((sum, share) => sum + share, 0),
    labelingCores: resting.labeling / LABELING_SHARE,
  };
}

export function perReads({ latest }: Measured, perSecond: number) {
  return {
    cores: (perSecond * latest.cpuUs) / 1e6 / GATEWAY_SHARE,
    gbPerSecond: (perSecond * latest.bytes) / GB,
  };
}

export function perDeliveries({ webhooks }: Measured, perSecond: number) {
  return { processes: Math.ceil(perSecond / webhooks.perSecond), rowsGbADay: (perSecond * DAY_SECONDS * webhooks.rowBytes) / GB };
}

function perReaders({ readers }: Measured, total: number) {
  const packetsPerSecond = PACKETS_A_DAY / DAY_SECONDS;
  return { cores: (total * packetsPerSecond * readers.cpuUs) / 1e6 / GATEWAY_SHARE, mib: (total * readers.kib) / 1_024 };
}

/** Limits at which a single core or server is saturated. */
export function ceilings(measured: Measured) {
  const { posts, resting, entriesPerSecond } = measured;
  return {
    /** Charge batches per second that one core of account handles, and number of gateways that post this many. */
    postsPerSecond: 1_000 / posts.cpuMs,
    gateways: 1_000 / posts.cpuMs / posts.perSecond,
    /** Such symbols per labeling process, and per Redis node. */
    labelingSymbols: LABELING_SHARE / resting.labeling,
    redisSymbols: 1 / resting.redis,
    redisEntriesPerSecond: entriesPerSecond / resting.redis,
  };
}

const SYMBOLS = [1, 10, 100, 1_000];
const READS = [10, 1_000, 100_000];
const DELIVERIES = [1, 10, 100, 1_000];
const READERS = [100, 1_000, 10_000];
const SHEET = { symbols: 100, reads: 1_000, deliveries: 10 };
const DIGITS = 3;

function shown(value: number): string {
  return Number(value.toPrecision(DIGITS)).toLocaleString('en', { maximumSignificantDigits: DIGITS });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function capacityPage(measured: Measured): string {
  return `${[head(measured), figures(measured), formulas(), examples(measured), manySymbols(measured), limits(measured), sheet(measured)].join('\n\n')}\n`;
}

function head({ day, machine, symbols }: Measured): string {
  return `# Capacity

Written by \`npm run bench -- capacity\`, which measures all figures on a running system. Measured on ${day}: ${machine.cores} cores (${machine.processor}), ${shown(machine.memoryGiB)} GiB, Node ${machine.node}, load average ${shown(machine.loadAverage)} before
the start, which should be near 0. Client, services and stores ran on this one machine, with ${symbols} symbols: the bundled recordings of Binance COIN-M at recorded speed. For another market, use its own e and r in the formulas.`;
}

function figures(measured: Measured): string {
  const { latest, posts, label, resting, exported, webhooks, readers } = measured;
  const percent = (share: number): string => `${shown(share * 100)} %`;
  return `## Measured
${table(
  ['quantity', 'figure', 'symbol'],
  [
    ['log entries per symbol and second', shown(measured.entriesPerSecond), 'e'],
    ['Redis memory per log entry', `${shown(measured.redisBytesAnEntry)} B`, 'b_e'],
    ['rows per symbol and second', shown(measured.rowsPerSecond), 'r'],
    ['payload per row', `${shown(measured.payloadBytesARow)} B`, 'b_r'],
    ['bytes on disk per byte of payload, with indexes', shown(measured.diskFactor), 'f'],
    ['archive files of the log per symbol and hour', `${shown(measured.archiveBytesAnHour / 1e6)} MB`, 'b_a'],
    [
      'packet on disk, with indexes; its part of the event index',
      `${shown(measured.packetBytes)} B; ${shown(measured.eventIndexBytes)} B`,
      'b_p; b_i',
    ],
    ['checkpoint', `${shown(measured.checkpointBytes / 1e3)} kB`, 'b_c'],
    ['CPU of the gateway for `latest` with key, credits and limit', `${shown(latest.cpuUs)} µs`, 'c(`latest`)'],
    ['its answer, uncompressed', `${shown(latest.bytes / 1e3)} kB`, 'b_l'],
    ['charge batches per second posted by one gateway under load', shown(posts.perSecond), 'n_b'],
    ['CPU of account per charge batch', `${shown(posts.cpuMs)} ms`, 'c_b'],
    [
      'CPU of the labeler per packet; per event without a packet',
      `${shown(label.packetMs)} ms; ${shown(label.eventUs)} µs`,
      'c_label; c_event',
    ],
    [
      'CPU per symbol without requests: feed, recorder, labeling, data plane, evaluator, gateway; Redis; Postgres (shares of a core)',
      `${[resting.feed, resting.recorder, resting.labeling, resting.dataPlane, resting.evaluator, resting.gateway].map(percent).join(', ')}; ${percent(resting.redis)}; ${percent(resting.postgres)}`,
      's',
    ],
    [`CPU of an export worker per book row to Parquet (${shown(exported.rows)} rows)`, `${shown(exported.cpuUsARow)} µs`, 'c_x'],
    ['such a row in the file', `${shown(exported.bytesARow)} B`, 'b_x'],
    ['webhook deliveries per worker and second', shown(webhooks.perSecond), 'd'],
    ['its CPU per delivery', `${shown(webhooks.cpuMs)} ms`, ''],
    ['database rows per 1 kB message to one endpoint, with indexes', `${shown(webhooks.rowBytes / 1e3)} kB`, 'b_d'],
    [`CPU of the gateway per packet and stream reader (${shown(readers.total)} readers)`, `${shown(readers.cpuUs)} µs`, 'c_s'],
    ['memory of the gateway per reader', `${shown(readers.kib)} KiB`, 'm_s'],
  ],
)}

Webhook workers and receiver share the same cores. CPU time has a resolution of 10 ms.`;
}

function formulas(): string {
  return `## Formulas
${table(
  ['quantity', 'formula'],
  [
    ['gateway cores', `Σ rate × c ÷ ${GATEWAY_SHARE} + readers × 0.1 × c_s ÷ ${GATEWAY_SHARE}, over the symbols of each reader`],
    ['Redis per symbol', '75 min × 60 × e × b_e'],
    ['Postgres rows per symbol and day', '86,400 × r × b_r × f; `HOT_DAYS` + 1 days are kept'],
    ['packets per symbol and day', '8,640 × (b_p + b_i) + 96 × b_c'],
    ['archive of the log per symbol and day', '24 × b_a'],
    ['labeler only, per symbol', '(8,640 × c_label + 86,400 × e × c_event) ÷ 86,400 of a core'],
    ['labeling cores', `symbols × s(labeling) ÷ ${LABELING_SHARE}, in shards of one process each`],
    ['exports', 'rows × c_x of CPU; rows × b_x of files, kept `EXPORT_DAYS`'],
    ['webhook workers; rows per day', 'deliveries per second ÷ d; × 86,400 × b_d, kept 14 days'],
    ['egress', 'rate × b_l, minus compression'],
  ],
)}`;
}

function examples(measured: Measured): string {
  const one = perSymbol(measured);
  return `## Worked examples
For symbols as busy as these; stores without replicas:

${table(
  [
    'symbols',
    'Redis, GB',
    'rows per day, GB',
    'hot rows, GB',
    'packets per day, GB',
    'archive per day, GB',
    'labeling cores',
    'total cores at rest',
  ],
  SYMBOLS.map((total) =>
    [
      total,
      one.redisGb * total,
      one.rowsGbADay * total,
      one.hotRowsGb * total,
      one.packetsGbADay * total,
      one.archiveGbADay * total,
      one.labelingCores * total,
      one.restingShare * total,
    ].map(shown),
  ),
)}

The labeler itself takes ${shown(one.labelerShare * 100)} % of a core per symbol; labeling spends the rest on reading the log, storing and sending.

${table(
  ['reads of `latest` per second', 'gateway cores', 'answers, GB/s uncompressed'],
  READS.map((rate) => [rate, perReads(measured, rate).cores, perReads(measured, rate).gbPerSecond].map(shown)),
)}

${table(
  ['webhook deliveries per second', 'workers', 'rows per day, GB'],
  DELIVERIES.map((rate) => [rate, perDeliveries(measured, rate).processes, perDeliveries(measured, rate).rowsGbADay].map(shown)),
)}

${table(
  ['readers of one symbol’s packets', 'gateway cores', 'memory, MiB'],
  READERS.map((total) => [total, perReaders(measured, total).cores, perReaders(measured, total).mib].map(shown)),
)}

Answers without a key have the same bytes for all callers: a CDN in front requests each route and symbol once in ten seconds per location, however many readers it has.`;
}

const PART_NAMES: Readonly<Record<keyof Resting, string>> = {
  feed: 'feed',
  recorder: 'recorder',
  labeling: 'labeling',
  dataPlane: 'data plane',
  evaluator: 'evaluator',
  gateway: 'gateway',
  redis: 'Redis',
  postgres: 'Postgres',
};

function manySymbols({ scale }: Measured): string {
  const parts = Object.entries(PART_NAMES) as [keyof Resting, string][];
  const total = (values: Resting, others: number): number => Object.values(values).reduce((sum, value) => sum + value, others);
  const row = (name: string, valueOf: (figures: ScaleFigures) => string | number): readonly string[] => [
    name,
    ...scale.map(valueOf).map((value) => (typeof value === 'number' ? shown(value) : value)),
  ];
  return `## Many symbols on two cores
Written by \`npm run bench -- scale\`: recordings thinned as on a venue with a few busy and many quiet symbols, all windows closing at the same time, a reader per symbol's packets and 20 \`latest\` per second. Symbols 1 and 2 play as recorded; 3 to 10 keep one book per second and every trade; 11 to 50 one book per second and each fifth trade; 51 and later one book in two seconds and each twentieth trade. Every symbol has four ticks a second. A load average well above 0 means that other work shared the cores: then only CPU, memory and sizes mean something.

${table(
  ['symbols', ...scale.map(({ symbols }) => shown(symbols))],
  [
    row('measured on; load average before the start', ({ day, loadAverage }) => `${day}; ${shown(loadAverage)}`),
    row('log entries per second', ({ entriesPerSecond }) => entriesPerSecond),
    row('closing tick to packet at a reader, ms: p50, p99', ({ closing }) => `${shown(closing.p50Ms)}, ${shown(closing.p99Ms)}`),
    row('packets at a reader within 2 s of their closing tick', ({ closing }) => `${shown(closing.onTime * 100)} %`),
    row('`latest`, ms: p50, p99', ({ latest }) => `${shown(latest.p50Ms)}, ${shown(latest.p99Ms)}`),
    row('cores: all', ({ cpu, cpuOfOthers }) => total(cpu, cpuOfOthers)),
    ...parts.map(([part, name]) => row(`cores: ${name}`, ({ cpu }) => cpu[part])),
    row('MiB: all', ({ memory, memoryOfOthers }) => total(memory, memoryOfOthers)),
    ...parts.map(([part, name]) => row(`MiB: ${name}`, ({ memory }) => memory[part])),
    row('behind, s: feed, recorder, labeling, evaluator', ({ behind }) => Object.values(behind).map(shown).join(', ')),
    row('Postgres per symbol and day, GB', ({ stored }) => stored.postgres / GB),
    row('Redis per symbol at 75 minutes, MB', ({ stored }) => stored.redis / 1e6),
  ],
)}

Archive files of the log scale with its entries: 24 × b_a × entries ÷ e. Beyond two cores, [shards](adr/0029-symbols-are-shared-by-a-rule-that-every-process-reads.md) divide the symbols.`;
}

function limits(measured: Measured): string {
  const { postsPerSecond, gateways, labelingSymbols, redisSymbols, redisEntriesPerSecond } = ceilings(measured);
  return `## Ceilings, in order
1. **The ledger.** One core of account handles ${shown(postsPerSecond)} charge batches per second, or ${shown(gateways)} gateways under load. More account processes share the work until the commits of its one Postgres are the limit. Beyond that, distribute tenants over several databases by hash.
2. **Packets to gateways.** Labeling sends each packet to each gateway: gateways × symbols × 0.1 messages per second. Beyond the capacity of a shard, add a relay.
3. **A shard of labeling** handles ${shown(labelingSymbols)} symbols as busy as these. Add shards for more; there is no further ceiling.
4. **The Redis node of the busiest symbols.** A core of Redis handles ${shown(redisEntriesPerSecond)} entries per second with all their readers, or ${shown(redisSymbols)} such symbols. A symbol is on one node; more nodes handle more symbols.

None of these was reached here: they are extrapolated from measurements far below them.`;
}

function sheet(measured: Measured): string {
  const one = perSymbol(measured);
  const reads = perReads(measured, SHEET.reads);
  const messages = perDeliveries(measured, SHEET.deliveries);
  const egressGb = reads.gbPerSecond * 86_400 * 30;
  const row = (what: string, amount: number, unit: string, price: string): readonly string[] => [what, shown(amount), unit, price, ''];
  return `## Cost sheet
${shown(SHEET.symbols)} symbols, ${shown(SHEET.reads)} reads and ${shown(SHEET.deliveries)} deliveries per second. Enter your own prices, and count every store twice if it has a standby.

${table(
  ['item', 'amount', 'unit', 'price per unit and month', 'per month'],
  [
    row('processes and stores at rest', one.restingShare * SHEET.symbols, 'cores', 'P_c ='),
    row('gateways for these reads', reads.cores, 'cores', 'P_c ='),
    row('webhook workers', messages.processes, 'single-core processes', 'P_c ='),
    row('Redis', one.redisGb * SHEET.symbols, 'GB of memory', 'P_m ='),
    row('Postgres: hot rows', one.hotRowsGb * SHEET.symbols, 'GB of disk', 'P_d ='),
    row('Postgres: packets of 3 days and the current day', one.packetsGbADay * SHEET.symbols * 4, 'GB of disk', 'P_d ='),
    row('Postgres: messages of 14 days', messages.rowsGbADay * 14, 'GB of disk', 'P_d ='),
    row('archive of 30 days of logs', one.archiveGbADay * SHEET.symbols * 30, 'GB of objects', 'P_s ='),
    row('egress per month, uncompressed', egressGb, 'GB', 'P_e ='),
  ],
)}`;
}
