import type { ColumnType } from "kysely";
export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export type ArchiveFile = {
    symbol: string;
    channel: string;
    /**
     * Start of the hour of receive time.
     */
    hour_ms: string;
    object_key: string;
    /**
     * Duplicates are among the rows of the file: it is the log.
     */
    row_total: string;
    byte_total: string;
    /**
     * Of the file, lower-case hex.
     */
    sha256: string;
    /**
     * Chain over the payloads in order: h0 is 32 zero bytes, h(n) = SHA-256(h(n-1) followed by the payload).
     */
    rows_sha256: string;
    first_ordinal: string;
    last_ordinal: string;
    min_exchange_ms: string;
    max_exchange_ms: string;
    gap_ids: string[];
    verified_at_ms: string;
};
export type AuditResult = {
    symbol: string;
    /**
     * `candles`, `book`, `mark_price` or `funding_rate`.
     */
    measure: string;
    /**
     * Feed clock when the run began.
     */
    run_ms: string;
    venue: string;
    /**
     * What it was held against: `venue` (its REST answers) or `recording` (the recording's own best prices).
     */
    source: string;
    /**
     * Span of what was compared.
     */
    from_ms: string;
    to_ms: string;
    /**
     * Values.
     */
    compared_total: number;
    equal_total: number;
    not_compared_total: number;
    /**
     * Why values were not compared.
     */
    reasons: string[];
    /**
     * The difference that this run found, found again, or closed; null where none is open.
     */
    difference_id: string | null;
    /**
     * The run found the values equal again.
     */
    closes: boolean;
    /**
     * Of values that differ: what the first and the last of them are of.
     */
    differs_from_ms: string | null;
    differs_to_ms: string | null;
    /**
     * The largest of them: which value, what it is of, both values and how far they are apart, as decimals.
     */
    field: string | null;
    at_ms: string | null;
    ours: string | null;
    theirs: string | null;
    apart: string | null;
};
export type CandleMinute = {
    symbol: string;
    open_ms: string;
    open: string;
    high: string;
    low: string;
    close: string;
    /**
     * Base units.
     */
    volume: string;
    /**
     * Quote currency.
     */
    notional: string;
    trade_total: string;
    /**
     * Order of the first and the last trade, as text that sorts: exchange time, pass, venue id.
     */
    open_key: string;
    close_key: string;
    /**
     * When the newest of its trades was received; null in minutes that were stored without it.
     */
    last_received_ms: string | null;
};
export type ChannelHour = {
    symbol: string;
    channel: string;
    /**
     * Start of the hour of receive time.
     */
    hour_ms: string;
    /**
     * Duplicates are not among them.
     */
    row_total: string;
    duplicate_total: string;
    payload_bytes: string;
    first_ordinal: string;
    last_ordinal: string;
    min_exchange_ms: string;
    max_exchange_ms: string;
};
export type ConsumerPosition = {
    consumer: string;
    symbol: string;
    epoch: number;
    ordinal: string;
};
export type FeedConnection = {
    symbol: string;
    ordinal: string;
    /**
     * The event in protobuf wire form.
     */
    payload: Buffer;
};
export type FeedLease = {
    symbol: string;
    /**
     * Higher than that of any holder before; the log takes nothing from a writer with a lower one.
     */
    fence: string;
    /**
     * `host:port` of the feed's RPCs; absent: let go.
     */
    holder: string | null;
    /**
     * Others may take it 5 s after this.
     */
    renewed_at: Timestamp;
};
export type FeedState = {
    symbol: string;
    /**
     * Of the log; raised by one each time the log was found empty or behind.
     */
    epoch: number;
    /**
     * Of the recording; rises from 1 for ever.
     */
    pass: number;
    /**
     * Added to every time of the pass; a multiple of 10,000.
     */
    shift_ms: string;
    /**
     * Ordinal of the first entry of the pass.
     */
    pass_first_ordinal: string;
    /**
     * What the pass begins with: `first`, `seam`, `log_lost` or `feed_down`.
     */
    opening: string;
    /**
     * Start of the seam's or the gap's span; 0 for `first`.
     */
    opening_start_ms: string;
    /**
     * Which files the pass plays: a digest of their content, in order.
     */
    recording: string;
    /**
     * The last entry known to stand in the log, and the feed clock there.
     */
    last_ordinal: string;
    last_feed_clock_ms: string;
    /**
     * Newest exchange time up to the last entry that every consumer has committed.
     */
    safe_exchange_ts_ms: string;
    /**
     * No entry beyond this ordinal or this feed clock was ever appended.
     */
    reserved_ordinal: string;
    reserved_feed_clock_ms: string;
    /**
     * Pacing: at this wall time the feed clock stood there, going at this many times real time. Absent: the feed clock is the wall clock.
     */
    anchor_wall_ms: string | null;
    anchor_feed_ms: string | null;
    anchor_speed: number | null;
    updated_at: Generated<Timestamp>;
};
export type Gap = {
    gap_id: string;
    symbol: string;
    /**
     * Absent: all channels.
     */
    channel: string | null;
    /**
     * Exchange time of the last event before the gap.
     */
    start_ms: string;
    /**
     * Exchange time from which the channel is whole again; 0 while it is open.
     */
    end_ms: string;
    /**
     * `sequence_gap`, `log_lost`, `feed_down`, `disconnected`, `overflow` or `recording_seam`.
     */
    reason: string;
    /**
     * How it ended: `open`, `resynced` (from a fresh snapshot), `resumed` (the feed went on; nothing was made up for) or `withdrawn` (all of it came late).
     */
    resolution: string;
};
export type GapTelling = {
    gap_id: string;
    /**
     * Feed clock when it was told so.
     */
    told_ms: string;
    /**
     * As in `gap`.
     */
    end_ms: string;
    resolution: string;
};
export type LogEntry = {
    symbol: string;
    /**
     * Position in the symbol's log.
     */
    ordinal: string;
    epoch: number;
    /**
     * `book`, `trade`, `context`, `liquidation` or `control`.
     */
    channel: string;
    pass: number;
    /**
     * Absent where the venue gives none, and on an entry that repeats one that is there (flag 32): so it is unique.
     */
    venue_id: string | null;
    exchange_ts_ms: string;
    received_ts_ms: string;
    /**
     * A sum of 1 snapshot, 2 late, 4 clock_skew, 8 after_gap, 16 synthetic, 32 duplicate.
     */
    flags: number;
    /**
     * The event in protobuf wire form (marketstate.marketdata.v1.MarketEvent).
     */
    payload: Buffer;
    /**
     * Trades only, from here on.
     */
    price: string | null;
    /**
     * Base units.
     */
    size: string | null;
    /**
     * As the venue sent it (contracts), on inverse contracts.
     */
    venue_size: string | null;
    /**
     * `buy` or `sell`.
     */
    aggressor_side: string | null;
};
export type Retention = {
    channel: string;
    hot_from_ms: string;
    archive_from_ms: string;
};
export type RowState = {
    symbol: string;
    state: unknown;
};
export type ServedInstrument = {
    symbol: string;
    /**
     * `recording`, `simulated`, `hyperliquid` or `binance`.
     */
    feed: string;
    venue: string;
    venue_instrument: string;
    /**
     * US dollars a contract stands for; absent where quantities are in base units.
     */
    contract_value: string | null;
    source_kind: string;
};
export type DB = {
    archive_file: ArchiveFile;
    audit_result: AuditResult;
    candle_minute: CandleMinute;
    channel_hour: ChannelHour;
    consumer_position: ConsumerPosition;
    feed_connection: FeedConnection;
    feed_lease: FeedLease;
    feed_state: FeedState;
    gap: Gap;
    gap_telling: GapTelling;
    log_entry: LogEntry;
    retention: Retention;
    row_state: RowState;
    served_instrument: ServedInstrument;
};
