-- CreateTable
CREATE TABLE "feed_state" (
    "symbol" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "pass" INTEGER NOT NULL,
    "shift_ms" BIGINT NOT NULL,
    "pass_first_ordinal" BIGINT NOT NULL,
    "opening" TEXT NOT NULL,
    "opening_start_ms" BIGINT NOT NULL,
    "recording" TEXT NOT NULL,
    "last_ordinal" BIGINT NOT NULL,
    "last_feed_clock_ms" BIGINT NOT NULL,
    "safe_exchange_ts_ms" BIGINT NOT NULL,
    "reserved_ordinal" BIGINT NOT NULL,
    "reserved_feed_clock_ms" BIGINT NOT NULL,
    "anchor_wall_ms" BIGINT,
    "anchor_feed_ms" BIGINT,
    "anchor_speed" DOUBLE PRECISION,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feed_state_pkey" PRIMARY KEY ("symbol")
);
