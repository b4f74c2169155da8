-- CreateTable: partitions are made by the recorder, one for each UTC day
CREATE TABLE "log_entry" (
    "symbol" TEXT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "channel" TEXT NOT NULL,
    "pass" INTEGER NOT NULL,
    "venue_id" TEXT NOT NULL,
    "exchange_ts_ms" BIGINT NOT NULL,
    "received_ts_ms" BIGINT NOT NULL,
    "payload" BYTEA NOT NULL,
    "price" DECIMAL,
    "size" DECIMAL,
    "venue_size" DECIMAL,
    "aggressor_side" TEXT,

    CONSTRAINT "log_entry_pkey" PRIMARY KEY ("symbol","ordinal","exchange_ts_ms")
) PARTITION BY RANGE ("exchange_ts_ms");

-- CreateIndex
CREATE INDEX "log_entry_symbol_channel_exchange_ts_ms_idx" ON "log_entry"("symbol", "channel", "exchange_ts_ms");

-- CreateTable
CREATE TABLE "gap" (
    "gap_id" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "channel" TEXT,
    "start_ms" BIGINT NOT NULL,
    "end_ms" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "resolution" TEXT NOT NULL,

    CONSTRAINT "gap_pkey" PRIMARY KEY ("gap_id")
);

-- CreateIndex
CREATE INDEX "gap_symbol_start_ms_idx" ON "gap"("symbol", "start_ms");

-- CreateTable
CREATE TABLE "consumer_position" (
    "consumer" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "ordinal" BIGINT NOT NULL,

    CONSTRAINT "consumer_position_pkey" PRIMARY KEY ("consumer","symbol")
);

-- CreateTable
CREATE TABLE "feed_connection" (
    "symbol" TEXT NOT NULL,
    "ordinal" BIGINT NOT NULL,
    "payload" BYTEA NOT NULL,

    CONSTRAINT "feed_connection_pkey" PRIMARY KEY ("symbol")
);
