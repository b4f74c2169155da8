-- Rows are partitioned by channel, then by UTC day, so that each channel is kept for as long as its own setting says.
-- CreateTable
ALTER TABLE "log_entry" RENAME TO "log_entry_unflagged";
ALTER TABLE "log_entry_unflagged" RENAME CONSTRAINT "log_entry_pkey" TO "log_entry_unflagged_pkey";
ALTER INDEX "log_entry_symbol_channel_exchange_ts_ms_idx" RENAME TO "log_entry_unflagged_idx";

CREATE TABLE "log_entry" (
    "symbol" TEXT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "channel" TEXT NOT NULL,
    "pass" INTEGER NOT NULL,
    "venue_id" TEXT,
    "exchange_ts_ms" BIGINT NOT NULL,
    "received_ts_ms" BIGINT NOT NULL,
    "flags" SMALLINT NOT NULL,
    "payload" BYTEA NOT NULL,
    "price" DECIMAL,
    "size" DECIMAL,
    "venue_size" DECIMAL,
    "aggressor_side" TEXT,

    CONSTRAINT "log_entry_pkey" PRIMARY KEY ("symbol","ordinal","channel","exchange_ts_ms")
) PARTITION BY LIST ("channel");

CREATE UNIQUE INDEX "log_entry_symbol_channel_pass_venue_id_exchange_ts_ms_key" ON "log_entry"("symbol", "channel", "pass", "venue_id", "exchange_ts_ms");
CREATE INDEX "log_entry_symbol_channel_exchange_ts_ms_idx" ON "log_entry"("symbol", "channel", "exchange_ts_ms");

CREATE TABLE "log_entry_book" PARTITION OF "log_entry" FOR VALUES IN ('book') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_trade" PARTITION OF "log_entry" FOR VALUES IN ('trade') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_context" PARTITION OF "log_entry" FOR VALUES IN ('context') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_liquidation" PARTITION OF "log_entry" FOR VALUES IN ('liquidation') PARTITION BY RANGE ("exchange_ts_ms");
CREATE TABLE "log_entry_control" PARTITION OF "log_entry" FOR VALUES IN ('control') PARTITION BY RANGE ("exchange_ts_ms");

-- CreateTable
CREATE TABLE "row_state" (
    "symbol" TEXT NOT NULL,
    "state" JSONB NOT NULL,

    CONSTRAINT "row_state_pkey" PRIMARY KEY ("symbol")
);

-- CreateTable
CREATE TABLE "channel_hour" (
    "symbol" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "hour_ms" BIGINT NOT NULL,
    "row_total" BIGINT NOT NULL,
    "duplicate_total" BIGINT NOT NULL,
    "payload_bytes" BIGINT NOT NULL,
    "first_ordinal" BIGINT NOT NULL,
    "last_ordinal" BIGINT NOT NULL,
    "min_exchange_ms" BIGINT NOT NULL,
    "max_exchange_ms" BIGINT NOT NULL,

    CONSTRAINT "channel_hour_pkey" PRIMARY KEY ("symbol","channel","hour_ms")
);

-- CreateTable
CREATE TABLE "candle_minute" (
    "symbol" TEXT NOT NULL,
    "open_ms" BIGINT NOT NULL,
    "open" DECIMAL NOT NULL,
    "high" DECIMAL NOT NULL,
    "low" DECIMAL NOT NULL,
    "close" DECIMAL NOT NULL,
    "volume" DECIMAL NOT NULL,
    "notional" DECIMAL NOT NULL,
    "trade_total" BIGINT NOT NULL,
    "open_key" TEXT NOT NULL,
    "close_key" TEXT NOT NULL,

    CONSTRAINT "candle_minute_pkey" PRIMARY KEY ("symbol","open_ms")
);

-- CreateTable
CREATE TABLE "archive_file" (
    "symbol" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "hour_ms" BIGINT NOT NULL,
    "object_key" TEXT NOT NULL,
    "row_total" BIGINT NOT NULL,
    "byte_total" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "rows_sha256" TEXT NOT NULL,
    "first_ordinal" BIGINT NOT NULL,
    "last_ordinal" BIGINT NOT NULL,
    "min_exchange_ms" BIGINT NOT NULL,
    "max_exchange_ms" BIGINT NOT NULL,
    "gap_ids" TEXT[],
    "verified_at_ms" BIGINT NOT NULL,

    CONSTRAINT "archive_file_pkey" PRIMARY KEY ("symbol","channel","hour_ms")
);

-- CreateTable
CREATE TABLE "retention" (
    "channel" TEXT NOT NULL,
    "hot_from_ms" BIGINT NOT NULL,
    "archive_from_ms" BIGINT NOT NULL,

    CONSTRAINT "retention_pkey" PRIMARY KEY ("channel")
);

-- CreateTable
CREATE TABLE "served_instrument" (
    "symbol" TEXT NOT NULL,
    "feed" TEXT NOT NULL,
    "venue" TEXT NOT NULL,
    "venue_instrument" TEXT NOT NULL,
    "contract_value" DECIMAL,
    "source_kind" TEXT NOT NULL,

    CONSTRAINT "served_instrument_pkey" PRIMARY KEY ("symbol")
);
