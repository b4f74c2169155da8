import type { ColumnType } from "kysely";
export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export const SourceKind = {
    live: "live",
    recorded: "recorded",
    simulated: "simulated"
} as const;
export type SourceKind = (typeof SourceKind)[keyof typeof SourceKind];
export const FeedbackLabel = {
    useful: "useful",
    partial: "partial",
    missing_context: "missing_context",
    noise: "noise"
} as const;
export type FeedbackLabel = (typeof FeedbackLabel)[keyof typeof FeedbackLabel];
export type ArchivedPacket = {
    event_id: string;
    symbol: string;
    window_end_ms: string;
};
export type ArchiveFile = {
    symbol: string;
    /**
     * `packets` or `checkpoints`.
     */
    channel: string;
    /**
     * Start of the hour that the windows end in, inclusive.
     */
    hour_ms: string;
    object_key: string;
    row_total: string;
    /**
     * Size of the file; null of one that was written before it was noted.
     */
    byte_total: string | null;
    /**
     * Of the file, lower-case hex.
     */
    sha256: string;
    /**
     * `hot`: the rows are in the database too; `archived`: in the file alone; `ending`: the file is being deleted. It only goes forward.
     */
    state: string;
};
export type Checkpoint = {
    symbol: string;
    /**
     * T of the state's newest packet, milliseconds since the epoch.
     */
    window_end_ms: string;
    /**
     * The last log entry that the state has taken.
     */
    epoch: number;
    ordinal: string;
    /**
     * Of the packet at T.
     */
    lineage_digest: string;
    policy_digest: string;
    /**
     * SHA-256 of the state before it is packed.
     */
    state_digest: string;
    /**
     * Gzip of the state as its serializer wrote it.
     */
    state: Buffer;
};
export type Event = {
    symbol: string;
    window_end_ms: string;
    sequence: string;
    event_id: string;
    /**
     * From when the packet is known, milliseconds since the epoch.
     */
    known_ts_ms: string;
    /**
     * Published state.
     */
    state: string;
    winner_state: string;
    event_class: string;
    event_profile: string;
    severity_class: string;
    severity_score: number;
    transition_type: string;
    diagnosis_class: string;
    confidence_score: number;
    confidence_label: string;
    contradiction_score: number;
    novelty_score: number;
    quality_score: number;
    gap_flags: string[];
    state_age_packets: number;
    tags: string[];
    /**
     * A score lies within 10 % below a threshold.
     */
    near_threshold: boolean;
    source_kind: SourceKind;
    /**
     * Middle of the book in use at T; null without a book.
     */
    mid_price: number | null;
    state_label: string;
    runner_up_state: string;
    state_margin: number;
};
export type EventFeedback = {
    event_id: string;
    tenant_id: string;
    symbol: string;
    window_end_ms: string;
    state: string;
    event_class: string;
    label: FeedbackLabel;
    /**
     * Empty: none.
     */
    note: string;
    recorded_ts_ms: string;
};
export type FoldedDay = {
    day_ms: string;
};
export type GatewayMinute = {
    symbol: string;
    minute_ms: string;
    counter_id: string;
    packet_to_gateway: number[];
    closing_tick_to_gateway: number[];
};
export type LabelerState = {
    symbol: string;
    epoch: number;
    ordinal: string;
    state: Buffer;
    /**
     * The newest `connected` entry up to there, in protobuf wire form: what a new chain must know when the log no longer holds it.
     */
    connected: Buffer | null;
};
export type Packet = {
    symbol: string;
    /**
     * T, milliseconds since the epoch.
     */
    window_end_ms: string;
    /**
     * Rises by 1 from 1 in the symbol.
     */
    sequence: string;
    packet_id: string;
    event_id: string;
    /**
     * RFC 8785 JSON; packet_digest is the SHA-256 of its UTF-8 bytes. Of packets stored before bodies were packed; null where it is packed.
     */
    body: string | null;
    /**
     * The same as zlib data (RFC 1950) whose header names its dictionary (src/packets/packed); null where the body is text.
     */
    packed_body: Buffer | null;
    packet_digest: string;
    lineage_digest: string;
    input_digest: string;
    policy_digest: string;
    /**
     * Wall clock around the labeler, milliseconds since the epoch.
     */
    generated_ts_ms: string;
    source_lag_ms: string;
    headline: string;
    customer_next_step: string;
    source_kind: SourceKind;
    /**
     * Ed25519 over the 32 bytes of packet_digest, 64 bytes; absent where packets are not signed.
     */
    signature: Buffer | null;
    signing_key_id: string | null;
    /**
     * The entry of the log that closed the window; absent on packets stored before it was kept.
     */
    closing_epoch: number | null;
    closing_ordinal: string | null;
    /**
     * Feed clock of that entry: the packet is known from then. Milliseconds since the epoch.
     */
    known_ts_ms: string;
    /**
     * What views of other packets read of it, JSON; null where it is made of the body when it is read.
     */
    brief: string | null;
};
export type PacketDay = {
    symbol: string;
    /**
     * Start of the day, milliseconds since the epoch.
     */
    day_ms: string;
    /**
     * Since when this service counts the symbol; null on days of which nothing was counted here.
     */
    since_ms: string | null;
    /**
     * Minutes with figures of this service, and of a gateway.
     */
    minutes: number;
    gateway_minutes: number;
    in_time: number;
    remade: number;
    closing_tick_to_packet: number[];
    packet_to_gateway: number[];
    closing_tick_to_gateway: number[];
};
export type PacketMinute = {
    symbol: string;
    /**
     * Start of the minute, milliseconds since the epoch.
     */
    minute_ms: string;
    /**
     * Names the run.
     */
    counter_id: string;
    /**
     * Since when the run counts, in its first minute of the symbol and in the first after some that it could not write; null in all others.
     */
    since_ms: string | null;
    /**
     * Windows whose packet was stored in time.
     */
    in_time: number;
    /**
     * Packets made of history, or anew.
     */
    remade: number;
    /**
     * From closing tick to packet: how many, by bucket.
     */
    closing_tick_to_packet: number[];
};
export type Share = {
    share_id: string;
    tenant_id: string;
    /**
     * Of the call that made it: a call that is repeated makes no second one.
     */
    operation_id: string;
    /**
     * Wall clock here and below, milliseconds since the epoch.
     */
    created_ms: string;
    expires_ms: string;
    revoked_ms: string | null;
    symbol: string;
    window_end_ms: string;
    packet_id: string;
    event_id: string;
    packet_digest: string;
    lineage_digest: string;
    input_digest: string;
    policy_digest: string;
    generated_ts_ms: string;
    source_kind: SourceKind;
    signature: Buffer | null;
    signing_key_id: string | null;
    state: string;
    state_label: string;
    /**
     * The packet's body, packed as in table `packet`, so that it outlives the packet's archive; null once the share has ended.
     */
    packed_body: Buffer | null;
};
export type SigningKey = {
    /**
     * `key_` and 26 characters of the SHA-256 of the public key.
     */
    key_id: string;
    /**
     * 32 bytes.
     */
    public_key: Buffer;
    valid_from_ms: string;
    /**
     * Absent while it signs.
     */
    valid_to_ms: string | null;
};
export type SymbolPosition = {
    symbol: string;
    /**
     * Sequence of the newest packet, 0 before the first.
     */
    last_sequence: string;
    /**
     * The last log entry whose packets are stored.
     */
    epoch: number;
    ordinal: string;
};
export type DB = {
    archive_file: ArchiveFile;
    archived_packet: ArchivedPacket;
    checkpoint: Checkpoint;
    event: Event;
    event_feedback: EventFeedback;
    folded_day: FoldedDay;
    gateway_minute: GatewayMinute;
    labeler_state: LabelerState;
    packet: Packet;
    packet_day: PacketDay;
    packet_minute: PacketMinute;
    share: Share;
    signing_key: SigningKey;
    symbol_position: SymbolPosition;
};
